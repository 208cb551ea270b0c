# Real ranks on this machine; $BATS_TEST_TMPDIR holds the run folders.

# run_ranks RANKS DIR PROGRAM...: prints how each rank ended; see rank_group.cpp.
run_ranks() {
  mkdir -p "$2"
  "$RANK_GROUP" "$@"
}

# start_ranks RANKS DIR PROGRAM...: the same in the background, until their processes are known.
start_ranks() {
  mkdir -p "$2"
  rm -f "$2/pids"
  "$RANK_GROUP" "$@" >"$2/ends" 3>&- &
  group=$!
  eventually test -e "$2/pids"
}

# ended DIR ENDS: waits for the ranks of start_ranks; did they end so?
ended() {
  wait "$group"
  echo "ended: $(cat "$1/ends")"
  [ "$(cat "$1/ends")" = "$2" ]
}

# pid_of DIR RANK
pid_of() { sed -n "$(($2 + 1))p" "$1/pids"; }

# reached DIR STEP: has rank 0 reported STEP or a later one?
reached() {
  local last
  last=$(sed -n 's,^step \([0-9]*\)/.*,\1,p' "$1/rank-0.out" | tail -1)
  ((${last:-0} >= $2))
}

# convnet FILE STEPS: a short training with dropout. Its buckets are rebuilt after the first step.
convnet() {
  cat >"$1" <<EOF
train:
  max_steps: $2
  model: {name: convnet}
  data: {name: fashion_mnist, batch_size: 4}
  optimizer: {name: adam, learning_rate: 0.001}
  ddp: {bucket_cap_mib: 1}
  evaluate: {every_epochs: 0}
  log: {every_steps: 1}
rendezvous: {timeout: 60s}
EOF
}

# same_checkpoint DIR DIR: do both end with the same bytes?
same_checkpoint() {
  local file
  for file in model optimizer rng; do
    cmp "$1/checkpoints/$(cat "$1/checkpoints/LATEST")/$file.safetensors" \
      "$2/checkpoints/$(cat "$2/checkpoints/LATEST")/$file.safetensors" || return 1
  done
}
