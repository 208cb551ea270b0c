# A training of two ranks on this machine that something happens to, and what must hold of it afterwards.

# shellcheck source=tests/support/local_run.bash
source "${BASH_SOURCE[0]%/*}/local_run.bash"
# shellcheck source=tests/support/restarts.bash
source "${BASH_SOURCE[0]%/*}/restarts.bash"

# training_of STEPS: its settings.
training_of() {
  training=(train.epochs=null "train.max_steps=$1" train.data.batch_size=16 train.checkpoint.every_steps=40 train.log.every_steps=1)
}

# start_training STEPS [RUN_ROOT]: two ranks, that have a checkpoint already.
start_training() {
  local root=${2:-$PWD/runs}
  training_of "$1"
  run_id=$(train_here resources.tasks_per_node=2 "run_root=$root" --detach)
  run_folder=$root/$run_id
  eventually has_checkpoint 0
}

# Of the newest head.
pid_of_head() { event head_started .pid | tail -n 1; }
last_step() { tail -n 1 "$run_folder/metrics.jsonl" | jq .step; }

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
