# A run on the rig: submitted by the real ddpsubmit, seen through its records. All nodes share one PID namespace, and see the
# folder of the test.

# shellcheck source=tests/support/run_records.bash
source "${BASH_SOURCE[0]%/*}/run_records.bash"
# shellcheck source=tests/support/undisturbed.bash
source "${BASH_SOURCE[0]%/*}/undisturbed.bash"
# shellcheck source=tests/support/short_waits.bash
source "${BASH_SOURCE[0]%/*}/short_waits.bash"
# shellcheck source=tests/support/slow_links.bash
source "${BASH_SOURCE[0]%/*}/slow_links.bash"

# A training that goes on until it is stopped, and needs no LibTorch for it.
# shellcheck disable=SC2034 # for the tests
endless=("train.program=$STAND_IN" train.epochs=1000)

# submit [KEY=VALUE...]: two nodes with two ranks each; sets run_id and run_folder.
submit() {
  pace "$@"
  run_id=$("$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.nodes=2 \
    resources.tasks_per_node=2 "run_root=$BATS_TEST_TMPDIR/runs" "$@") || return
  run_folder=$BATS_TEST_TMPDIR/runs/$run_id
}

# submit_short [KEY=VALUE...]: one that ends after three steps.
submit_short() { submit "train.program=$STAND_IN" train.epochs=1 train.data.batch_size=5000 "$@"; }

# submit_command COMMAND [KEY=VALUE...]: two nodes with two ranks each that run COMMAND in a shell, where no training is needed.
submit_command() {
  local command=$1 config=$BATS_TEST_TMPDIR/command.yaml
  shift
  cat >"$config" <<CONFIG
name: fashion-mlp
launcher: slurm
run_root: runs
resources: {nodes: 2, tasks_per_node: 2, time: 30m}
command: [sh, -c, $(jq -n --arg text "$command" '$text')]
CONFIG
  run_id=$("$DDPSUBMIT" run "$config" "$@") || return
  run_folder=$BATS_TEST_TMPDIR/runs/$run_id
}

ranks_have_started() { [[ $(event rank_started .rank | sort -u | wc -l) -eq 4 ]]; }

# One that is to be requeued lasts, unless its tensors are large.
pace() {
  case "$*" in
    *hidden_dims*) fast_links ;;
    *requeue=true*) slow_links 100mbit ;;
    *) fast_links ;;
  esac
}

# slurm_is_at_least VERSION: 24.11
slurm_is_at_least() {
  local version
  version=$(sbatch --version)
  [[ $(printf '%s\n' "$1" "${version##* }" | sort -V | head -n 1) == "$1" ]]
}

job_id() { event submitted .job_id; }

trains() { grep -qs '^step ' "$run_folder/logs/attempt-0/rank-0.out"; }

# Slurm has forgotten the job's processes; COMPLETING still has some.
job_is_over() { [[ -z $(squeue -h -t PENDING,RUNNING,COMPLETING -j "$(job_id)" -o %i 2>/dev/null) ]]; }
