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

# free_port: a port where nobody listens.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# run_mpi RANKS DIR PROGRAM...: the same as run_ranks, but MPI's mpiexec starts the ranks; see mpi_rank.cpp.
run_mpi() {
  local ranks=$1 dir=$2 rank
  mkdir -p "$dir"
  shift 2
  "$MPIEXEC" -disable-auto-cleanup -n "$ranks" "$MPI_RANK" "$dir" "$(free_port)" "$@" >"$dir/mpiexec.out" 2>&1 </dev/null 3>&- || true
  local ends=()
  for ((rank = 0; rank < ranks; ++rank)); do ends+=("$(cat "$dir/end-$rank")"); done
  echo "${ends[*]}"
}

# start_mpi RANKS DIR PROGRAM...: in the background, until all programs run; then `ended`.
start_mpi() {
  mkdir -p "$2"
  run_mpi "$@" >"$2/ends" 3>&- &
  group=$!
  eventually test -e "$2/pid-$(($1 - 1))"
}

# leave_no_rank: of start_ranks, where a test has failed. The ranks end with their rank_group.
leave_no_rank() { [ -z "${group-}" ] || kill "$group" 2>/dev/null || true; }

# ended DIR ENDS: waits for the ranks of start_ranks; did they end so?
ended() {
  wait "$group"
  unset group
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

# blocks STRATEGY_LINES STEPS [CHANGE]: config.yaml, a training of two blocks with 12 samples a step; CHANGE is for sed.
blocks() {
  cat >config.yaml <<EOF
train:
  max_steps: $2
$1
  model: {name: blocks, depth: 2}
  data: {name: fashion_mnist, global_batch_size: 12}
  optimizer: {name: adam, learning_rate: 0.001}
  checkpoint: {every_steps: 1000}
  evaluate: {every_epochs: 0}
  log: {every_steps: 1}
rendezvous: {timeout: 60s}
EOF
  [ -z "${3-}" ] || sed -i "$3" config.yaml
}

# last_of DIR: the last checkpoint.
last_of() { echo "$1/checkpoints/$(cat "$1/checkpoints/LATEST")"; }

# merged CHECKPOINT PART: a file with all tensors of the model or of the optimizer, however many ranks wrote them.
merged() {
  local file options=()
  file=$(mktemp -p "$PWD" -u merged.XXXXXX)
  [ "$2" = model ] || options=(--optimizer)
  "$DDPSUBMIT" checkpoint merge "$1" "${options[@]}" --output "$file" >&2 && echo "$file"
}

# same_checkpoint DIR DIR: do both end with the same bytes?
same_checkpoint() {
  local file
  for file in model optimizer rng; do
    cmp "$(last_of "$1")/$file.safetensors" "$(last_of "$2")/$file.safetensors" || return 1
  done
}

# same_shards DIR DIR: do as many ranks end with the same bytes?
same_shards() {
  local file
  [ "$(cd "$(last_of "$1")" && echo shard-*)" = "$(cd "$(last_of "$2")" && echo shard-*)" ]
  for file in "$(last_of "$1")"/{shard-*,rng}.safetensors; do
    cmp "$file" "$(last_of "$2")/${file##*/}" || return 1
  done
}

# random_images DIR SAMPLES: so many (at most 255) of random classes in each split, as Fashion-MNIST has them.
random_images() {
  local split count
  count=$(printf '\\0%03o' "$2")
  mkdir -p "$1"
  for split in train t10k; do
    { printf '\0\0\10\3\0\0\0%b\0\0\0\34\0\0\0\34' "$count" && head -c $(($2 * 784)) /dev/urandom; } >"$1/$split-images-idx3-ubyte"
    { printf '\0\0\10\1\0\0\0%b' "$count" && tr -dc '\0-\11' </dev/urandom | head -c "$2"; } >"$1/$split-labels-idx1-ubyte"
  done
}

# mlp_refuses LINE SENTENCE: does the training of an mlp with this line end with that on stderr?
mlp_refuses() {
  cat >config.yaml <<EOF
train:
  max_steps: 1
  model: {name: mlp, input_dim: 20, num_classes: 5}
  data: {name: synthetic, samples: 20, features: 20, num_classes: 5}
  optimizer: {name: sgd}
$1
EOF
  [ "$(run_ranks 1 run "$DDPTRAIN" --config config.yaml)" = 3 ]
  grep -F "$2" run/rank-0.err
}

# slow_down PID: lets it run a tenth of the time, until speed_up.
slow_down() {
  slowed=$1
  while kill -STOP "$slowed" 2>/dev/null; do
    sleep 0.09
    kill -CONT "$slowed"
    sleep 0.01
  done 3>&- &
  pulses=$!
}

# speed_up: for a teardown, too
speed_up() {
  [ -n "$pulses" ] || return 0
  kill "$pulses" || true
  pulses=
  kill -CONT "$slowed" || true
}
