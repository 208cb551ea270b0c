# Two processes of a training on ssh hosts are killed at the same instant: what is said is true, and the training ends with the bytes of an
# undisturbed one.
# shellcheck disable=SC2154 # ssh_run.bash sets the names

load ../support/attacks
load ../support/ssh_run
load ../support/second_try

setup() {
  isolate_user
  fast_links
}
teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

# start_attached_training: two hosts with two ranks each, followed by a ddpsubmit that starts agents again.
start_attached_training() {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=ssh 'ssh.hosts=[node1, node2]' resources.nodes=2 \
    resources.tasks_per_node=2 "run_root=$PWD/runs" "${training[@]}" train.checkpoint.every_steps=20 train.checkpoint.keep=100 \
    train.log.every_steps=1 &>said 3>&- &
  submitter=$!
  slow_links 400mbit
  eventually has_run_folder
  run_id=${run_folder##*/}
  eventually has_checkpoint 0
}
has_run_folder() { run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1 2>/dev/null | head -n 1) && [[ -n $run_folder ]]; }

# keeper_of PID: of that agent.
keeper_of() {
  local keeper
  keeper=$(parent_of "$1")
  [ "$(ps -o comm= -p "$keeper")" = ddp-keeper ]
  echo "$keeper"
}

ended_undisturbed() {
  wait "$submitter"
  [ "$(state_of_run)" = succeeded ]
  cmp "$(final_parameters "$run_folder")" "$(train_locally 4)"
  eventually no_process_of_run
}

@test "an agent and its keeper: the ddpsubmit that follows the run starts another agent" {
  local agent
  start_attached_training
  agent=$(agent_of_rank 0 3)
  kill_at_once "$agent" "$(keeper_of "$agent")"
  ended_undisturbed
  [ "$(outcomes)" = 'failed succeeded' ]
  [[ $(event restarting .message) == 'lost the agent on node2: '* ]]
}

@test "an agent and a rank of another host: the agent is started again" {
  start_attached_training
  kill_at_once "$(agent_of_rank 0 3)" "$(pid_of_rank 0 0)"
  ended_undisturbed
  [ "$(outcomes)" = 'failed succeeded' ]
}

@test "a guard and its agent: the agent is started again" {
  local agent
  start_attached_training
  agent=$(agent_of_rank 0 2)
  kill_at_once "$(parent_of "$(pid_of_rank 0 2)")" "$agent"
  ended_undisturbed
  [ "$(outcomes)" = 'failed succeeded' ]
}

@test "head and the ddpsubmit that follows the run: rerun goes on" {
  start_attached_training
  kill_at_once "$(event head_started .pid)" "$submitter"
  eventually no_process_of_run
  [ "$(state_of_run)" = failed ]
  "$DDPSUBMIT" rerun "$run_id" --follow &>went_on 3>&- &
  submitter=$!
  ended_undisturbed
  grep -E 'resumed from step [0-9]+$' went_on
}
