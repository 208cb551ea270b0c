# Whatever happens while a checkpoint is written beside the training, a whole one is there afterwards, and the run goes on from it
# with the bytes of one that was not disturbed. What each single system call can do is in the unit test of the store.

load ../support/eventually
load ranks

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  config run.yaml 6
}

# config FILE STEPS: a checkpoint after each step.
config() {
  cat >"$1" <<EOF
train:
  max_steps: $2
  model: {name: mlp, input_dim: 16, hidden_dims: [32], num_classes: 4}
  data: {name: synthetic, samples: 400, features: 16, num_classes: 4, batch_size: 4}
  optimizer: {name: adam, learning_rate: 0.001}
  checkpoint: {every_steps: 1, keep: 2}
  evaluate: {every_epochs: 0}
  log: {every_steps: 1}
rendezvous: {timeout: 60s}
EOF
}

# train RANKS DIR [OPTION-OF-STRACE...]: prints how the ranks ended.
train() {
  local ranks=$1 dir=$2
  shift 2
  local strace=()
  [ $# -eq 0 ] || strace=(strace -f -qq -o "$dir.calls" "$@")
  run_ranks "$ranks" "$dir" "${strace[@]}" "$DDPTRAIN" --config run.yaml
}

needs_strace() { strace -f -o /dev/null true 2>/dev/null || skip "strace cannot trace here"; }

# A run that was done in one go, and one that has done half of it.
whole_and_half() {
  [ "$(train 2 whole)" = "0 0" ]
  config run.yaml 3
  [ "$(train 2 half)" = "0 0" ]
  config run.yaml 6
}

# The second half again.
from_half() {
  rm -rf run
  cp -r half run
}

# killed_at CALL COUNT: killed at the first, second, ... such call of the thread that writes a checkpoint, a run loses nothing.
killed_at() {
  local n end
  for ((n = 1; n <= $2; n++)); do
    from_half
    end=$(train 2 run -e "trace=$1" -e "inject=$1:signal=KILL:when=$n")
    echo "killed at $1 $n: $end"
    [ "$end" = "-9 76" ]
    [ "$(train 2 run)" = "0 0" ]
    same_checkpoint whole run
  done
}

# incomplete STEP: the folder of a checkpoint that is being written.
incomplete() { echo "$PWD/run/checkpoints/step-0000000$1-a0.incomplete"; }

@test "killed at any step of a save beside the training, a run goes on as if it had not been" {
  needs_strace
  whole_and_half
  killed_at mkdir 1
  killed_at fsync 10 # five files, their folder, the commit, two for LATEST, the deletion of an old one
  killed_at rename 3
  killed_at unlinkat 2
}

@test "a checkpoint that cannot be written costs no step, and is told" {
  needs_strace
  whole_and_half
  local fault
  for fault in fsync:error=EIO:when=1 mkdir:error=ENOSPC rename:error=EIO; do
    from_half
    [ "$(train 2 run -P "$(incomplete 5)" -e "trace=${fault%%:*}" -e "inject=$fault")" = "0 0" ]
    grep -E '^WARNING: the checkpoint of step 5 was not written: .*(Input/output error|No space left)' run/rank-0.out
    [ "$(grep -c '"kind":"checkpoint_failed","attempt":0,"step":5' run/metrics.jsonl)" = 1 ]
    same_checkpoint whole run
  done
}

@test "a run whose last checkpoint cannot be written has failed, and can be run again" {
  needs_strace
  whole_and_half
  from_half
  [ "$(train 2 run -P "$(incomplete 6)/model.safetensors" -e trace=fsync -e inject=fsync:error=ENOSPC)" = "1 76" ]
  grep '^WARNING: the checkpoint of step 6 was not written' run/rank-0.out
  grep 'the last checkpoint was not written: .*No space left' run/rank-0.err
  [ "$(train 2 run)" = "0 0" ]
  grep '^resumed from step 5$' run/rank-0.out
  same_checkpoint whole run
}

@test "a stop whose checkpoint cannot be written does not say that there is one" {
  needs_strace
  config run.yaml 100000
  sed -i 's/every_steps: 1, keep: 2/every_steps: 1000000/' run.yaml
  start_ranks 2 run strace -f -qq -o calls -e trace=fsync -e inject=fsync:error=EIO "$DDPTRAIN" --config run.yaml
  eventually reached run 5
  kill -TERM "$(pgrep -P "$(pid_of run 1)")"
  ended run "1 76"
  grep 'the last checkpoint was not written: .*Input/output error' run/rank-0.err
}

# slowly CALL TIME FILE: options of strace that make rank 0 wait so long in each such call on FILE of the checkpoint of step 6.
slowly() { echo "-P $(incomplete 6)/$3 -e trace=$1 -e inject=$1:delay_exit=$2"; }

@test "a write may take longer than the ranks wait for each other" {
  needs_strace
  whole_and_half
  sed -i 's/timeout: 60s/timeout: 2s/' run.yaml
  from_half
  # shellcheck disable=SC2046 # words
  [ "$(train 2 run $(slowly fsync 7s model.safetensors))" = "0 0" ] # the last checkpoint
  same_checkpoint whole run
  config run.yaml 9
  [ "$(train 2 whole)" = "0 0" ]
  sed -i 's/timeout: 60s/timeout: 2s/' run.yaml
  from_half
  # shellcheck disable=SC2046
  [ "$(train 2 run $(slowly fsync 7s model.safetensors))" = "0 0" ] # one that the next has to wait for
  same_checkpoint whole run
}

@test "a checkpoint that is being written outlives the loss of a peer" {
  needs_strace
  whole_and_half
  config run.yaml 100000
  sed -i 's/every_steps: 1,/every_steps: 6,/' run.yaml
  from_half
  # shellcheck disable=SC2046
  start_ranks 2 run strace -f -qq -o calls $(slowly fsync 10s model.safetensors) "$DDPTRAIN" --config run.yaml
  eventually test -e "$(incomplete 6)/model.safetensors"
  kill -KILL "$(pgrep -P "$(pid_of run 1)")"
  ended run "76 -9"
  [ "$(cat run/checkpoints/LATEST)" = step-00000006-a0 ]
  config run.yaml 6
  [ "$(train 2 run)" = "0 0" ]
  same_checkpoint whole run
}

@test "what a resumed run saves before its first step is not disturbed by the steps after it" {
  needs_strace
  cat >run.yaml <<'YAML'
train:
  epochs: 400
  model: {name: mlp, input_dim: 16, hidden_dims: [1000, 1000], num_classes: 4}
  data: {name: synthetic, samples: 4, features: 16, num_classes: 4, batch_size: 4}
  optimizer: {name: sgd, learning_rate: 0.0001, momentum: 0.9}
  checkpoint: {every_epochs: 1, keep: 1000}
  log: {every_steps: 1}
YAML
  start_ranks 1 run "$DDPTRAIN" --config run.yaml
  eventually reached run 2
  kill -TERM "$(pid_of run 0)"
  ended run 75
  local step name
  name=$(cat run/checkpoints/LATEST)
  step=$((10#${name:5:8}))
  grep '"position": 1,' "run/checkpoints/$name/state.json" # its epoch is not evaluated yet
  sed -i "s/epochs: 400/epochs: $((step + 3))/" run.yaml
  cp -r run whole
  [ "$(train 1 whole)" = 0 ]
  # before its first byte the write waits, longer than the steps beside it take
  [ "$(train 1 run -P "$PWD/run/checkpoints/$name.incomplete/model.safetensors" -e trace=openat -e inject=openat:delay_exit=3s)" = 0 ]
  cmp "run/checkpoints/$name/model.safetensors" "whole/checkpoints/$name/model.safetensors"
  same_checkpoint whole run
}

@test "a limit of the size of files is an error of the disk like any other" {
  sed -i 's/hidden_dims: \[32\]/hidden_dims: [4000]/; s/every_steps: 1, keep/every_steps: 2, keep/' run.yaml
  ulimit -f 100
  [ "$(train 2 run)" = "1 76" ]
  grep '^WARNING: the checkpoint of step 2 was not written: .*File too large' run/rank-0.out
  grep 'the last checkpoint was not written: .*File too large' run/rank-0.err
}
