# What the queue that only tests have does itself: it ends jobs at their time limit, and its agents do not come back.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

bats_require_minimum_version 1.5.0
load ../support/restarts

setup() { isolate_user; }
teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

launch=(launcher=queue resources.nodes=2 resources.tasks_per_node=2)

use_run() {
  run_id=$(<id)
  run_folder=$PWD/runs/$run_id
}

# submit COMMAND [KEY=VALUE...]
submit() {
  jq -n --arg text "$1" '{name: "job", run_root: "runs", command: ["sh", "-c", $text]}' >run.yaml
  "$DDPSUBMIT" run run.yaml "${launch[@]}" "${@:2}" --detach >id
  use_run
}

train() {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "${launch[@]}" "run_root=$PWD/runs" "${training[@]}" "$@" --detach >id
  use_run
}

@test "the queue ends a run at its time limit, and the run says so" {
  submit 'sleep 1000' resources.time=6s
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [ "$(event run_ended .state)" = timed_out ]
  [ "$(event stop_requested .reason)" = time_limit ]
  eventually no_process_of_run
}

@test "a training hears the queue's signal before its time limit, and stops after a checkpoint" {
  DDP_QUEUE_SECOND=0.1 train train.max_steps=1000000 resources.time=300s fault_tolerance.signal_lead=50s
  eventually has_checkpoint 0
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [ "$(event run_ended .state)" = timed_out ]
  local newest
  newest=$(<"$run_folder/checkpoints/LATEST")
  [[ $newest == step-*"$(event attempt_ended .last_step)-a0" ]]
}

@test "an agent that is killed does not come back: new ones are started, and the training goes on to the same bytes" {
  train
  eventually has_checkpoint 0
  kill -9 "$(parent_of "$(pid_of_guard)")"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event attempt_ended .outcome | paste -sd ' ')" = 'failed succeeded' ]
  has_undisturbed_bytes "$run_folder"
  eventually no_process_of_run
}

@test "logs of a rerun that waits say whose lines these are" {
  submit 'echo "line of $RANK"; exit 3'
  "$DDPSUBMIT" wait "$run_id" || true
  local first=$run_id
  submit 'touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 4
  "$DDPSUBMIT" rerun "$first" --detach
  "$DDPSUBMIT" logs "$first" >lines 2>said
  grep -x 'the next attempt has not started yet; showing the lines of attempt 0' said
  grep 'line of 0' lines
  "$DDPSUBMIT" cancel "$first"
  "$DDPSUBMIT" cancel "$run_id"
}

@test "a job that waits is cancelled before it starts" {
  submit 'touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 4
  local first=$run_id
  submit true
  [ "$(state_of_run)" = queued ]
  "$DDPSUBMIT" cancel "$run_id"
  "$DDPSUBMIT" cancel "$first"
  eventually test "$(state_of_run)" = cancelled
  [ ! -e "$run_folder/attempts/0" ]
}

@test "its keys are read and checked as those of other launchers" {
  submit true
  "$DDPSUBMIT" wait "$run_id"
  run ! "$DDPSUBMIT" run run.yaml "${launch[@]}" queue.tool=/no/such/program --detach
  [[ $output == *'/no/such/program'* ]]
  run -3 "$DDPSUBMIT" validate run.yaml launcher=queue queue.tol=x
  [[ $output == *'queue.tol'* && $output == *'tool'* ]]
  run -3 "$DDPSUBMIT" validate run.yaml launcher=no-such
  [[ $output == *'queue'* ]]
}
