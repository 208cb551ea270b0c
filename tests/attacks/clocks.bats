# The wall clock jumps by a day, as when a machine finds the right time after a start with a wrong one: no wait of a run is measured by it.
# shellcheck disable=SC2016 # what is in single quotes is for the shells of the ranks

load ../support/attacked_training
load ../support/false_clock

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  use_false_clock
}

teardown() { kill_processes_of_run; }

# start_by_false_clock STEPS
start_by_false_clock() {
  start_training "$1"
  runs_by_false_clock "$(pid_of_head)"
  runs_by_false_clock "$(pid_of_rank 0 1)"
}

@test "forward: a training goes on as if nothing had been" {
  start_by_false_clock 1000
  set_clock +1d
  succeeded_at_once
}

@test "back: a training goes on as if nothing had been" {
  start_by_false_clock 1000
  set_clock -1d
  succeeded_at_once
}

@test "back, and then a rank dies: the next attempt resumes from the newest checkpoint" {
  start_by_false_clock 1000
  set_clock -1d
  kill -9 "$(pid_of_rank 0 1)"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event restarting .attempt | xargs)" = 0 ]
  grep -qx "resumed from step $(event restarting .resumes_from)" "$run_folder/logs/attempt-1/rank-0.out"
  [ "$(event restarting .resumes_from)" -ge 40 ]
  has_bytes_of_undisturbed "$run_folder" resources.tasks_per_node=2 "${training[@]}"
}

@test "back between a run and its rerun: that one resumes from the newest checkpoint, and its state is the one that is told" {
  start_by_false_clock 1000
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(state_of_run)" = cancelled ]
  set_clock -1d
  "$DDPSUBMIT" rerun "$run_id" --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$(state_of_run)" = succeeded ]
  grep -Eqx 'resumed from step [1-9][0-9]*' "$run_folder/logs/attempt-1/rank-0.out"
  has_bytes_of_undisturbed "$run_folder" resources.tasks_per_node=2 "${training[@]}"
}

@test "a command that is told to stop ends within its grace, whichever way the clock jumps meanwhile" {
  local offset
  for offset in +1d -1d; do
    rm -rf runs up.*
    set_clock +0
    write_config 2 ': >up.$RANK; trap "" TERM; while :; do sleep 0.1; done'
    start_detached
    eventually ranks_are_up 2
    "$DDPSUBMIT" cancel "$run_id" 3>&- &
    eventually has_event stop_requested
    set_clock "$offset"
    wait $!
    [ "$(state_of_run)" = cancelled ]
    eventually no_process_of_run
  done
}
