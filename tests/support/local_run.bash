# Runs of the real ddpsubmit and the real ddp-agent on this machine.

# shellcheck source=tests/support/run_records.bash
source "${BASH_SOURCE[0]%/*}/run_records.bash"
# shellcheck source=tests/support/eventually.bash
source "${BASH_SOURCE[0]%/*}/eventually.bash"

# write_config RANKS COMMAND: run.yaml, whose ranks run COMMAND in a shell.
write_config() {
  cat >run.yaml <<EOF
name: job
run_root: runs
resources: {tasks_per_node: $1}
fault_tolerance: {grace_period: 2s}
command: [sh, -c, $(jq -n --arg text "$2" '$text')]
EOF
}

# kill_processes_of_run: what a test that has failed has left.
kill_processes_of_run() {
  local pid
  for pid in $(processes_of_run | tr -dc '0-9\n'); do kill -9 "$pid" 2>/dev/null || true; done
}

use_only_run() { run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1 2>/dev/null | head -n 1); }

can_mount() { ((EUID == 0)) && unshare --mount true 2>/dev/null; }

# start_detached: a run of run.yaml that goes on by itself; sets run_id and run_folder.
start_detached() {
  run_id=$("$DDPSUBMIT" run run.yaml --detach 2>/dev/null)
  run_folder=$PWD/runs/$run_id
}

# start_attached: ddpsubmit in the background, its pid in submitter, its words in said; sets run_folder once there is one.
start_attached() {
  "$DDPSUBMIT" run run.yaml >output 2>said 3>&- &
  # shellcheck disable=SC2034 # for the tests
  submitter=$!
  eventually head_runs
  eventually takes_signals "$submitter"
}

head_runs() {
  use_only_run
  [[ -n $run_folder && -n $(event head_started .pid 2>/dev/null) ]]
}
