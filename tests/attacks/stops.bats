# Each process of a training is stopped for twenty seconds, as by a debugger or a frozen machine, and goes on: so does the training, as if
# nothing had been.
# shellcheck disable=SC2034 # attacked_training.bash uses what is set here

load ../support/attacked_training

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
}

teardown() { kill_processes_of_run; }

# stop_for_a_while PID...
stop_for_a_while() {
  kill -STOP "$@"
  sleep 20
  kill -CONT "$@"
}

@test "head is stopped: the ranks go on, and may end, meanwhile" {
  start_training 3000
  local before
  before=$(last_step)
  stop_for_a_while "$(pid_of_head)"
  (($(last_step) > before))
  succeeded_at_once
}

@test "the guard is stopped: the ranks go on, and may end, meanwhile" {
  start_training 3000
  local before
  before=$(last_step)
  stop_for_a_while "$(pid_of_guard)"
  (($(last_step) > before))
  succeeded_at_once
}

@test "rank 0 is stopped: the other one waits for it" {
  start_training 500
  stop_for_a_while "$(pid_of_rank 0 0)"
  succeeded_at_once
}

@test "rank 1 is stopped: the other one waits for it" {
  start_training 500
  stop_for_a_while "$(pid_of_rank 0 1)"
  succeeded_at_once
}

# Then the training is sure to be at work before and after.
@test "head is stopped, and a rank with it: all wait" {
  start_training 500
  stop_for_a_while "$(pid_of_head)" "$(pid_of_rank 0 1)"
  succeeded_at_once
}

@test "the guard is stopped, and a rank with it: all wait" {
  start_training 500
  stop_for_a_while "$(pid_of_guard)" "$(pid_of_rank 0 0)"
  succeeded_at_once
}

@test "the ddpsubmit that the run is attached to is stopped: it prints what it has missed" {
  training_of 3000
  train_here resources.tasks_per_node=2 "run_root=$PWD/runs" >printed 2>said 3>&- &
  submitter=$!
  eventually head_runs
  run_id=${run_folder##*/}
  eventually has_checkpoint 0
  stop_for_a_while "$submitter"
  wait "$submitter"
  [ "$(grep -c '^\[r0\] step ' printed)" = 3000 ]
  succeeded_at_once
}

@test "the guard is stopped and head is killed: rerun starts no second training beside the ranks" {
  start_training 100000
  local guard
  guard=$(pid_of_guard)
  kill -STOP "$guard"
  kill -9 "$(pid_of_head)"
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '[[ $(state_of_run) == failed ]]'
  run "$DDPSUBMIT" rerun "$run_id" --detach
  echo "$output"
  [ "$status" -eq 8 ]
  [[ $output == *'processes of an earlier attempt are still running: '*"$(pid_of_rank 0 1)"* ]]
  [[ $output == *'waiting for processes of an earlier attempt to end: '*'end them with kill -9'* ]]
  [ "$(ls "$run_folder/attempts")" = 0 ]
  [ "$(event submit_intent .token | wc -l)" = 1 ] # it has changed nothing
  kill -CONT "$guard"
  "$DDPSUBMIT" rerun "$run_id" --detach # it has killed them
  "$DDPSUBMIT" cancel "$run_id"
}
