# A run on the rig: submitted by the real ddpsubmit, seen through its records.

# The runs and the user's state go into the test's own folder, which all nodes see.
isolate_user() {
  export HOME=$BATS_TEST_TMPDIR XDG_STATE_HOME=$BATS_TEST_TMPDIR/state XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
  cd "$BATS_TEST_TMPDIR" || return
}

# submit [KEY=VALUE...]: two nodes with two ranks each; sets run_id and run_folder.
submit() {
  run_id=$("$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.nodes=2 \
    resources.tasks_per_node=2 "run_root=$BATS_TEST_TMPDIR/runs" "$@") || return
  run_folder=$BATS_TEST_TMPDIR/runs/$run_id
}

# event NAME FILTER: what the jq FILTER makes of each event of that name.
event() {
  cat "$run_folder"/ledger/*.jsonl | jq -r "select(.event == \"$1\") | $2"
}

# exit_records FILTER: what the jq FILTER makes of each rank's exit record.
exit_records() {
  jq -r "$1" "$run_folder"/exit/attempt-0/rank-*.json
}

state_of_run() { "$DDPSUBMIT" status last --json | jq -r '.runs[0].state'; }

job_id() { event submitted .job_id; }

trains() { grep -qs '^step ' "$run_folder/logs/attempt-0/rank-0.out"; }

# Slurm has forgotten the job's processes; COMPLETING still has some.
job_is_over() { [[ -z $(squeue -h -t PENDING,RUNNING,COMPLETING -j "$(job_id)" -o %i 2>/dev/null) ]]; }

# All nodes share one PID namespace. The pattern comes from a file, so that grep does not find itself.
processes_of_run() {
  grep -lsF -f <(echo "$run_folder") /proc/[0-9]*/cmdline /proc/[0-9]*/environ
}

no_process_of_run() { [[ -z $(processes_of_run) ]]; }
