# A training that was stopped, at whatever step, and run again ends with the bytes of one that was not.

load ../support/eventually
load ranks

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# train RANKS DIR STEPS
train() {
  convnet "$3.yaml" "$3"
  run run_ranks "$1" "$2" "$DDPTRAIN" --config "$3.yaml"
  [[ $output =~ ^0(\ 0)*$ ]]
}

# Runs with STEPS steps in one go, and in two with a checkpoint after each of some first steps.
check_resume() {
  local ranks=$1 first
  train "$ranks" whole 8
  for first in 1 2 $((RANDOM % 5 + 3)); do
    echo "stopped after step $first"
    train "$ranks" "from-$first" "$first"
    train "$ranks" "from-$first" 8
    grep "^resumed after step $first\$" "from-$first/rank-0.out"
    same_checkpoint whole "from-$first"
  done
}

@test "one rank goes on from any step with the same bytes" { check_resume 1; }
@test "two ranks go on from any step with the same bytes" { check_resume 2; }
@test "four ranks go on from any step with the same bytes" { check_resume 4; }

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

@test "another number of ranks is refused" {
  train 2 run 2
  run run_ranks 1 run "$DDPTRAIN" --config 2.yaml
  [ "$output" = 3 ]
  grep 'the checkpoint is one of 2 ranks, this run has 1' run/rank-0.err
}

@test "damaged checkpoints end the run, it does not start over" {
  train 2 run 2
  truncate -s 10 run/checkpoints/step-*/model.safetensors
  run run_ranks 2 run "$DDPTRAIN" --config 2.yaml
  [ "$output" = "9 76" ]
}
