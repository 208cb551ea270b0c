# Two processes of a training are killed at the same instant: no process is left, what is said is true, and the training ends with the bytes
# of an undisturbed one.

load ../support/attacks
load ../support/attacked_training

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
}

teardown() { kill_processes_of_run; }

# Four ranks.
start_training() {
  run_id=$(train_here "run_root=$PWD/runs" --detach)
  run_folder=$PWD/runs/$run_id
  eventually has_checkpoint 0
}

causes() { event restarting '"\(.attempt) \(.cause.rank) \(.cause.signal)"' | paste -sd ,; }

# failed_without_head: the run is told to have lost its head, and goes on from its newest checkpoint when it is asked to.
failed_without_head() {
  eventually no_process_of_run
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *"run $run_id failed: its head (process $(pid_of_head) on $(uname -n)) died without recording how the run ended"* ]]
  [ "$(state_of_run)" = failed ]
  "$DDPSUBMIT" rerun "$run_id" --follow >went_on
  grep -E '^\[r0\] resumed from step [0-9]+$' went_on
  ended_undisturbed
}

ended_undisturbed() {
  [ "$(state_of_run)" = succeeded ]
  has_undisturbed_bytes "$run_folder"
  eventually no_process_of_run
}

@test "head and the guard are killed: the ranks end, and rerun goes on" {
  start_training
  kill_at_once "$(pid_of_head)" "$(pid_of_guard)"
  failed_without_head
}

@test "head and a rank are killed: the other ranks end, and rerun goes on" {
  start_training
  kill_at_once "$(pid_of_head)" "$(pid_of_rank 0 2)"
  failed_without_head
}

@test "head, the guard and a rank are killed: the other ranks end, and rerun goes on" {
  start_training
  kill_at_once "$(pid_of_head)" "$(pid_of_guard)" "$(pid_of_rank 0 0)"
  failed_without_head
}

@test "the guard and a rank are killed: the run starts again by itself, and names the guard" {
  start_training
  kill_at_once "$(pid_of_guard)" "$(pid_of_rank 0 1)"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event restarting .attempt)" = 0 ]
  [[ $(event restarting .message) == *'the guard of the ranks on '*' was killed by signal 9 (KILL)'* ]]
  ended_undisturbed
}

@test "two ranks are killed: the run starts again by itself, and names one of them" {
  start_training
  kill_at_once "$(pid_of_rank 0 1)" "$(pid_of_rank 0 3)"
  "$DDPSUBMIT" wait "$run_id"
  [[ $(causes) == '0 '[13]' 9' ]]
  ended_undisturbed
}

@test "head and the ddpsubmit that the run is attached to are killed: the ranks end, and rerun goes on" {
  train_here "run_root=$PWD/runs" &>said 3>&- &
  submitter=$!
  eventually head_runs
  run_id=${run_folder##*/}
  eventually has_checkpoint 0
  kill_at_once "$(pid_of_head)" "$submitter"
  failed_without_head
}
