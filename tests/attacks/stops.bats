# Each process of a training is stopped for twenty seconds, as by a debugger or a frozen machine, and goes on: so does the training, as if
# nothing had been.

load ../support/local_run
load ../support/restarts

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
}

teardown() {
  local pid
  # Only what this test has started, should it have failed.
  for pid in $(processes_of_run | tr -dc '0-9\n'); do kill -9 "$pid" 2>/dev/null || true; done
}

# training_of STEPS: its settings.
training_of() {
  training=(train.epochs=null "train.max_steps=$1" train.data.batch_size=16 train.checkpoint.every_steps=40 train.log.every_steps=1)
}

# start_training STEPS: two ranks.
start_training() {
  training_of "$1"
  run_id=$(train_here resources.tasks_per_node=2 "run_root=$PWD/runs" --detach)
  run_folder=$PWD/runs/$run_id
  eventually has_checkpoint 0
}

pid_of_head() { event head_started .pid; }
last_step() { tail -n 1 "$run_folder/metrics.jsonl" | jq .step; }

# stop_for_a_while PID...
stop_for_a_while() {
  kill -STOP "$@"
  sleep 20
  kill -CONT "$@"
}

# succeeded_at_once: in the first attempt.
succeeded_at_once() {
  "$DDPSUBMIT" wait "$run_id"
  [ "$(state_of_run)" = succeeded ]
  [ -z "$(event restarting .attempt)$(event rank_stalled .rank)" ]
  [ "$(event head_started .attempt)" = 0 ]
  [ "$(event attempt_ended .outcome)" = succeeded ]
  has_bytes_of_undisturbed "$run_folder" resources.tasks_per_node=2 "${training[@]}"
  eventually no_process_of_run
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
