# A training whose parameters are divided among the ranks: stopped, killed, and gone on by other ranks or another strategy.

load ../support/run_records
load ranks

setup() {
  [ -x "${DDPSUBMIT:-}" ] || skip 'ddpsubmit is not built'
  isolate_user
  cd "$BATS_TEST_TMPDIR" || exit 1
}
teardown() { leave_no_rank; }

# train RANKS DIR STRATEGY_LINES STEPS [CHANGE]
train() {
  blocks "${@:3}"
  run run_ranks "$1" "$2" "$BLOCKS_TRAINER" --config config.yaml
  cat "$2/"*.err
  [[ $output =~ ^0(\ 0)*$ ]]
}

# parameters DIR STEP
parameters() { merged "$1/checkpoints/step-$(printf %08d "$2")-a0" model; }

# count_shards DIR
count_shards() { find "$(last_of "$1")" -name 'shard-*' | wc -l; }

# same_tensors DIR DIR: do the checkpoints hold the same, sharded or not?
same_tensors() {
  local part
  for part in model optimizer; do
    cmp "$(merged "$(last_of "$1")" "$part")" "$(merged "$(last_of "$2")" "$part")" || return 1
  done
}

fsdp='  strategy: fsdp'
bf16=$fsdp$'\n  fsdp: {param_dtype: bf16, reshard_after_forward: false}'
hsdp=$'  strategy: hsdp\n  hsdp: {shard: 2}'

# check_resume RANKS STRATEGY_LINES [CHANGE]: 9 steps in one go, and in two.
check_resume() {
  rm -rf whole parts
  train "$1" whole "$2" 9 "${3-}"
  train "$1" parts "$2" $((RANDOM % 7 + 1)) "${3-}"
  train "$1" parts "$2" 9 "${3-}"
  grep '^resumed from step [1-7]$' parts/rank-0.out
  same_shards whole parts
}

@test "it goes on with the same bytes" {
  local ranks
  for ranks in 1 2 3 4; do check_resume "$ranks" "$fsdp"; done
}

@test "it goes on with the same bytes with parameters in bfloat16 and clipped gradients" {
  check_resume 3 "$bf16"$'\n  clip_grad_norm: 0.3\n  gradient_accumulation_steps: 2'
}

@test "hybrid, it goes on with the same bytes" { check_resume 4 "$hsdp"; }

@test "it goes on with the same bytes when a block is not trained, and with BatchNorm" {
  check_resume 3 "$fsdp" 's/depth: 2/depth: 2, frozen: true/'
  check_resume 2 "$fsdp" 's/depth: 2/depth: 2, batch_norm: true/'
}

# check_kill RANK ENDS: of four, while the ranks write a checkpoint after each step.
check_kill() {
  rm -rf killed
  blocks "$fsdp" 400 's/every_steps: 1000/every_steps: 1/'
  start_ranks 4 killed "$BLOCKS_TRAINER" --config config.yaml
  eventually reached killed $((RANDOM % 8 + 1))
  kill -9 "$(pid_of killed "$1")"
  ended killed "$2"
  train 4 killed "$fsdp" 400
  same_shards whole killed
  "$DDPSUBMIT" checkpoint verify killed/checkpoints/step-*-a0
  ! ls -d killed/checkpoints/*.incomplete
}

@test "after kill -9 of a rank the next attempt ends with the same bytes; an interrupt stops all after the same step" {
  train 4 whole "$fsdp" 400
  check_kill 0 "-9 76 76 76"
  check_kill 2 "76 76 -9 76"
  blocks "$fsdp" 400
  start_ranks 4 stopped "$BLOCKS_TRAINER" --config config.yaml
  eventually reached stopped $((RANDOM % 10 + 1))
  kill -INT "$(pid_of stopped $((RANDOM % 4)))"
  ended stopped "75 75 75 75"
  grep '^stopped on request after step' stopped/rank-0.out
  train 4 stopped "$fsdp" 400
  same_shards whole stopped
}

# goes_on FROM RANKS STRATEGY_LINES: a step that learns nothing changes no parameter.
goes_on() {
  rm -rf "$1-elsewhere"
  cp -r "$1" "$1-elsewhere"
  train "$2" "$1-elsewhere" "$3" 6 's/learning_rate: 0.001/learning_rate: 0/'
  grep '^resumed from step 5' "$1-elsewhere/rank-0.out"
  cmp "$(parameters "$1" 5)" "$(parameters "$1-elsewhere" 6)"
}

@test "each rank writes its own part, and of several with the same rows one" {
  train 3 sharded "$fsdp" 3
  [ "$(count_shards sharded)" = 6 ]
  grep -q '"format": 2' "$(last_of sharded)/manifest.json"
  "$DDPSUBMIT" checkpoint verify "$(last_of sharded)"
  train 4 hybrid "$hsdp" 3
  [ "$(count_shards hybrid)" = 4 ]
  "$DDPSUBMIT" checkpoint verify "$(last_of hybrid)"
}

@test "a rank that cannot write its part costs the checkpoint, not a step; the last one must be there" {
  blocks "$fsdp" 400 's/every_steps: 1000/every_steps: 1/'
  start_ranks 3 full "$BLOCKS_TRAINER" --config config.yaml
  eventually reached full 3
  prlimit --fsize=10000:unlimited --pid "$(pid_of full 2)"
  eventually grep -q 'WARNING.*rank 2: ' full/rank-0.out
  prlimit --fsize=unlimited:unlimited --pid "$(pid_of full 2)"
  ended full "0 0 0"
  "$DDPSUBMIT" checkpoint verify "$(last_of full)"
  train 3 whole "$fsdp" 400
  same_shards whole full
  rm -rf full
  start_ranks 3 full "$BLOCKS_TRAINER" --config config.yaml
  eventually reached full 3
  prlimit --fsize=10000:unlimited --pid "$(pid_of full 1)"
  wait "$group" || true
  unset group
  [[ "$(cat full/ends)" == "1 "* ]]
  grep 'the last checkpoint was not written: rank 1: ' full/rank-0.err
}

# refused FOLDER DIR TEXT: do all of two ranks end with exit code 3 when rank 1 does not see FOLDER?
refused() {
  unshare -m mount -t tmpfs none "$1" 2>/dev/null || skip 'mounting needs root'
  cat >trainer <<'EOF'
#!/bin/bash
[ "$DDPSUBMIT_RANK" = 1 ] || exec "$BLOCKS_TRAINER" "$@"
exec unshare -m bash -c 'mount -t tmpfs none "$HIDDEN" && exec "$@"' - "$BLOCKS_TRAINER" "$@"
EOF
  chmod +x trainer
  [ "$(HIDDEN=$1 run_ranks 2 "$2" ./trainer --config config.yaml)" = "3 3" ]
  grep "$3" "$2/rank-0.err"
}

@test "ranks that do not see the run folder, or the checkpoint of another run, are refused" {
  train 2 whole "$fsdp" 3
  mkdir blind
  blocks "$fsdp" 3
  refused "$PWD/blind" blind "rank 1 does not see the run folder '.*/blind' that rank 0 sees; .*key run_root"
  blocks "$fsdp" 6 "s,every_steps: 1000,path: $PWD/whole,"
  refused "$PWD/whole" other "rank 1 does not see the checkpoint '.*/whole/checkpoints/step-00000003-a0' that rank 0 sees; .*key train.checkpoint.path"
}

# stopped_after OPENS: has rank 1 stopped, and rank 0 opened its file so often?
stopped_after() { [ "$(grep -c openat calls.0)" = "$1" ] && grep -q 'stopped by SIGSTOP' calls.1; }

# start_and_delete DIR PATH FILE-OF-RANK-0 OPENS FILE-OF-RANK-1: two ranks begin at step 3 of the run `other`, to which PATH leads. Rank 1
# stops when it opens its file for the second time, and rank 0 opens its own so often. Then `other` deletes the checkpoint, and has one
# of step 5.
start_and_delete() {
  local old=$PWD/other/checkpoints/step-00000003-a0
  rm -rf other calls.*
  cp -r first other
  blocks "$fsdp" 6 "s,every_steps: 1000,path: $2,"
  cat >trainer <<'EOF'
#!/bin/bash
file=$OF_RANK_0
[ "$DDPSUBMIT_RANK" = 0 ] || { file=$OF_RANK_1 && stop=(-e inject=openat:signal=STOP:when=2); }
exec strace -f -qq -o "calls.$DDPSUBMIT_RANK" -P "$OLD/$file" -e trace=openat "${stop[@]}" "$BLOCKS_TRAINER" "$@"
EOF
  chmod +x trainer
  OLD=$old OF_RANK_0=$3 OF_RANK_1=$5 start_ranks 2 "$1" ./trainer --config config.yaml
  eventually stopped_after "$4"
  cp -r later/checkpoints/step-00000005-a0 other/checkpoints
  echo step-00000005-a0 >other/checkpoints/LATEST
  rm -r "$old"
  kill -CONT "$(pgrep -P "$(pid_of "$1" 1)")"
}

deleted="the checkpoint '.*/other/checkpoints/step-00000003-a0' was deleted while it was read"

# chosen_again DIR FILE-OF-RANK-0 OPENS FILE-OF-RANK-1
chosen_again() {
  start_and_delete "$1" "$PWD/other" "${@:2}"
  ended "$1" "0 0"
  grep "^$deleted" "$1/rank-0.out"
  grep '^resumed from step 5 ' "$1/rank-0.out"
}

# Of a checkpoint of one rank, rank 1 verifies the model and the random states, and rank 0 the optimizer. Then both load the random
# states, whose header rank 0 has read, and at last their rows.
@test "a checkpoint that its run deletes while ranks read it is chosen again" {
  strace -f -o /dev/null true 2>/dev/null || skip "strace cannot trace here"
  train 1 first "$fsdp" 3
  cp -r first later
  train 1 later "$fsdp" 5
  chosen_again checked rng.safetensors 2 rng.safetensors
  chosen_again by-rank-1 shard-00001-optimizer-00001-of-00001.safetensors 3 shard-00001-model-00001-of-00001.safetensors
  start_and_delete none "$PWD/other/checkpoints/step-00000003-a0" rng.safetensors 2 rng.safetensors
  ended none "9 76"
  grep "$deleted" none/rank-0.err
}

@test "other ranks and another strategy go on with the parameters of a checkpoint" {
  local from ranks
  train 4 sharded "$fsdp" 5
  train 4 hybrid "$hsdp" 5
  train 3 replicated '' 5
  if [[ -z ${FULL_LENGTH:-} ]]; then # each way once: to more ranks and fewer, to and from each strategy
    goes_on sharded 2 ''
    goes_on sharded 3 "$fsdp"
    goes_on hybrid 1 "$fsdp"
    goes_on replicated 4 "$hsdp"
    goes_on replicated 4 "$fsdp"
    return
  fi
  for from in sharded hybrid replicated; do
    for ranks in 1 2 3 4; do goes_on "$from" "$ranks" "$fsdp"; done
    goes_on "$from" 2 ''
    goes_on "$from" 4 "$hsdp"
  done
}

# At one and at two ranks both compute the same bytes: so they do from the same parameters and the same state of the optimizer.
@test "other ranks and another strategy go on with the state of the optimizer" {
  local from ranks
  train 4 sharded "$fsdp" 5
  train 3 replicated '' 5
  for from in sharded replicated; do
    for ranks in 1 2; do
      cp -r "$from" "$from-fsdp-$ranks"
      cp -r "$from" "$from-ddp-$ranks"
      train "$ranks" "$from-fsdp-$ranks" "$fsdp" 9
      train "$ranks" "$from-ddp-$ranks" '' 9
      same_tensors "$from-fsdp-$ranks" "$from-ddp-$ranks"
    done
  done
}

@test "a rehearsal ends with the bytes of an undisturbed run" {
  blocks "$fsdp" 1000
  sed -i "1i name: sharded\nlauncher: local\nrun_root: $PWD/runs\nresources: {tasks_per_node: 2, cpus_per_task: 1}" config.yaml
  "$DDPSUBMIT" rehearse config.yaml "train.program=$BLOCKS_TRAINER" --steps 60 >answer 2>said || { cat answer said && false; }
  grep -E '^result +equal to an undisturbed run, byte for byte: ' answer
}

@test "all ranks end when the parameters of one are not finite, and no checkpoint is kept" {
  blocks "$fsdp" 5 's/learning_rate: 0.001/learning_rate: 1e38/; s/every_steps: 1000/every_steps: 1/'
  run run_ranks 3 diverged "$BLOCKS_TRAINER" --config config.yaml
  [ "$output" = "1 1 1" ]
  grep "parameter '.*' is not finite" diverged/rank-0.err
  [ ! -e diverged/checkpoints/LATEST ]
}
