# A training that was stopped, at whatever step, and run again ends with the bytes of one that was not.

load ../support/eventually
load ranks

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  ddp="" # more options of train()
}
teardown() { leave_no_rank; }

# train RANKS DIR STEPS
train() {
  convnet "$3.yaml" "$3"
  sed -i "s/^  ddp: {/&$ddp/" "$3.yaml"
  run run_ranks "$1" "$2" "$DDPTRAIN" --config "$3.yaml"
  [[ $output =~ ^0(\ 0)*$ ]]
}

# check_resume RANKS STEP...: 8 steps in one go, and in two with a checkpoint after each of these steps, and after some later one.
check_resume() {
  local ranks=$1 first
  [[ -z ${FULL_LENGTH:-} ]] || set -- "$ranks" 1 2
  train "$ranks" whole 8
  for first in "${@:2}" $((RANDOM % 5 + 3)); do
    echo "stopped after step $first"
    train "$ranks" "from-$first" "$first"
    train "$ranks" "from-$first" 8
    grep "^resumed from step $first\$" "from-$first/rank-0.out"
    same_checkpoint whole "from-$first"
  done
}

@test "one rank goes on from any step with the same bytes" { check_resume 1; }
@test "two ranks go on from any step with the same bytes" { check_resume 2 1 2; }
@test "four ranks go on from any step with the same bytes" { check_resume 4; }

@test "ranks with a static graph, which settles its buckets a step later, go on with the same bytes" {
  ddp="static_graph: true, "
  check_resume 3 1 2
}

@test "deterministic operations compute the same on the CPU" {
  train 2 whole 8
  sed '/^train:/a\  deterministic: true' 8.yaml >deterministic.yaml
  run run_ranks 2 deterministic "$DDPTRAIN" --config deterministic.yaml
  [ "$output" = "0 0" ]
  same_checkpoint whole deterministic
}

has_threads() { [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]; }

@test "a signal ends a rank that still waits for the others" {
  convnet config.yaml 60
  # shellcheck disable=SC2016  # each rank has its own
  start_ranks 2 run sh -c '[ "$DDPSUBMIT_RANK" = 0 ] || exec sleep 1000; exec "$DDPTRAIN" --config config.yaml'
  eventually has_threads "$(pid_of run 0)" # of the store
  kill -TERM "$(pid_of run 0)"
  eventually test ! -e "/proc/$(pid_of run 0)/exe"
  kill -KILL "$(pid_of run 1)"
  ended run "-15 -9"
}

@test "a signal stops an evaluation" {
  train 1 run 2
  sed -i 's,^  max_steps.*,  mode: evaluate\n  checkpoint: {path: run},; s/batch_size: 4/batch_size: 1/' 2.yaml
  start_ranks 1 scored "$DDPTRAIN" --config 2.yaml
  eventually grep '^evaluating the checkpoint' scored/rank-0.out
  kill -TERM "$(pid_of scored 0)"
  ended scored 75
  [ "$(tail -n 1 scored/rank-0.out)" = 'stopped on request before the evaluation was done' ]
}

@test "a signal to one rank stops the evaluation of all, which the next attempt does" {
  convnet config.yaml 2
  sed -i 's/batch_size: 4/batch_size: 1/' config.yaml
  run_ranks 2 whole "$DDPTRAIN" --config config.yaml
  sed -i '/evaluate:/d' config.yaml
  start_ranks 2 stopped "$DDPTRAIN" --config config.yaml
  eventually reached stopped 2
  kill -TERM "$(pid_of stopped 1)"
  ended stopped '75 75'
  [ "$(tail -n 1 stopped/rank-0.out)" = 'stopped on request before the evaluation was done' ]
  [ "$(run_ranks 2 stopped "$DDPTRAIN" --config config.yaml)" = '0 0' ]
  grep 'test loss' stopped/rank-0.out
  same_checkpoint whole stopped
}

@test "a signal to one rank stops all after the same step, and the rest is as if it had not" {
  train 4 whole 60
  convnet config.yaml 60
  start_ranks 4 stopped "$DDPTRAIN" --config config.yaml
  eventually reached stopped $((RANDOM % 10 + 1))
  kill -TERM "$(pid_of stopped $((RANDOM % 4)))"
  ended stopped "75 75 75 75"
  grep '^stopped on request after step' stopped/rank-0.out
  train 4 stopped 60
  same_checkpoint whole stopped
}

# check_beside RANKS OPTIMIZER: rank 0 is killed while it trains and writes checkpoints; what the run goes on from is exact.
check_beside() {
  local ranks=$1 ends rank
  rm -rf whole beside
  convnet config.yaml 12
  sed -i "s/^  optimizer.*/  optimizer: $2/" config.yaml
  ends=$(run_ranks "$ranks" whole "$DDPTRAIN" --config config.yaml)
  [[ $ends =~ ^0(\ 0)*$ ]]
  sed -i 's/^  evaluate/  checkpoint: {every_steps: 1}\n&/' config.yaml
  start_ranks "$ranks" beside "$DDPTRAIN" --config config.yaml
  eventually reached beside $((RANDOM % 8 + 1))
  kill -KILL "$(pid_of beside 0)"
  ends=-9
  for ((rank = 1; rank < ranks; rank++)); do ends+=" 76"; done
  ended beside "$ends"
  ends=$(run_ranks "$ranks" beside "$DDPTRAIN" --config config.yaml)
  [[ $ends =~ ^0(\ 0)*$ ]]
  same_checkpoint whole beside
}

@test "checkpoints that are written beside the training change nothing" {
  check_beside 1 '{name: sgd, learning_rate: 0.01, momentum: 0.9}'
  check_beside 2 '{name: adamw, learning_rate: 0.001}'
  check_beside 4 '{name: adam, learning_rate: 0.001}'
}

# global SAMPLES: an epoch with 8 samples a step, whatever the number of ranks.
global() {
  cat >global.yaml <<EOF
train:
  epochs: 2
  model: {name: mlp, input_dim: 16, hidden_dims: [8], num_classes: 4}
  data: {name: synthetic, samples: $1, features: 16, num_classes: 4, global_batch_size: 8}
  optimizer: {name: sgd, learning_rate: 0.01}
  checkpoint: {every_steps: 1000}
  log: {every_steps: 5}
EOF
}

# stopped RANKS DIR: a run that was stopped within its epoch.
stopped() {
  local ends
  ends=$(printf '75 %.0s' $(seq "$1"))
  start_ranks "$1" "$2" "$DDPTRAIN" --config global.yaml
  eventually reached "$2" 5
  kill -TERM "$(pid_of "$2" 0)"
  ended "$2" "${ends% }"
}

@test "another number of ranks goes on where the first left off, and says what differs" {
  local from to
  for pair in "2 1" "1 4" "4 2"; do
    read -r from to <<<"$pair"
    rm -rf run
    global 12000
    stopped "$from" run
    run run_ranks "$to" run "$DDPTRAIN" --config global.yaml
    [[ $output =~ ^0(\ 0)*$ ]]
    grep "^resumed" run/rank-0.out
    grep -E "^resumed from step [0-9]+; not bit-identical to an uninterrupted run \(batch of $from x $((8 / from)) samples before, $to x $((8 / to)) now\): gradient sums differ\$" run/rank-0.out
    [ "$(grep -c '^resumed\|has changed' run/rank-0.out)" = 1 ]
    # no step more or less than without the change: each sample was seen once an epoch
    [ "$(cat run/checkpoints/LATEST)" = step-00003000-a0 ]
  done
}

@test "other batches on another number of ranks go on after the samples that were seen" {
  local step name
  global 12000
  stopped 2 run
  name=$(cat run/checkpoints/LATEST)
  step=$((10#${name:5:8}))
  sed -i 's/global_batch_size: 8/batch_size: 12/' global.yaml
  run run_ranks 1 run "$DDPTRAIN" --config global.yaml
  [ "$output" = 0 ]
  grep "^resumed from step $step; not bit-identical to an uninterrupted run (batch of 2 x 4 samples before, 1 x 12 now): gradient sums, batch size differ\$" run/rank-0.out
  # 1500 steps an epoch before, 1000 now
  local left=$((1000 - step % 1500 * 8 / 12 + (1 - step / 1500) * 1000))
  [ "$(cat run/checkpoints/LATEST)" = "step-$(printf %08d $((step + left)))-a0" ]
}

@test "a checkpoint is evaluated by any number of ranks" {
  global 480
  run run_ranks 2 run "$DDPTRAIN" --config global.yaml
  [ "$output" = "0 0" ]
  sed -i '/optimizer/d; s/^  epochs.*/  mode: evaluate/; s,{every_steps: 1000},{path: run/checkpoints/LATEST},' global.yaml
  run run_ranks 4 other "$DDPTRAIN" --config global.yaml
  [ "$output" = "0 0 0 0" ]
  [ "$(grep -o 'test loss.*' other/rank-0.out)" = "$(grep -o 'test loss.*' run/rank-0.out | tail -1)" ]
  [ ! -e other/checkpoints ]
  grep -E '^evaluating the checkpoint of step [0-9]+ of ' other/rank-0.out
}

@test "damaged checkpoints end the run, it does not start over" {
  train 2 run 2
  truncate -s 10 run/checkpoints/step-*/model.safetensors
  run run_ranks 2 run "$DDPTRAIN" --config 2.yaml
  [ "$output" = "9 76" ]
}
