# On a kernel before Linux 5.3: strace takes away the calls that came later.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

newer_calls=close_range,pidfd_open,pidfd_send_signal

setup() {
  isolate_user
  on_older_kernel true 2>/dev/null || skip 'strace cannot trace here'
}

teardown() { kill_processes_of_run; }

# on_older_kernel [OPTION OF STRACE...] COMMAND [ARGUMENT...]: with -f, its children, too.
on_older_kernel() { strace -qq -o /dev/null -e "trace=$newer_calls" -e "inject=$newer_calls:error=ENOSYS" "$@"; }

@test "a run starts, and ends with the outcome of its ranks" {
  write_config 2 'echo "rank $RANK of 2"; touch "up.$RANK"; until test -e up.0; do sleep 0.05; done; exit $((RANK * 7))'
  run on_older_kernel -f "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  [[ $output == *"rank 0 of 2"*"rank 1 on "*"exit code 7"* ]]
}

@test "a run is cancelled" {
  write_config 2 'touch "up.$RANK"; sleep 1000'
  start_detached
  eventually ranks_are_up 2
  on_older_kernel "$DDPSUBMIT" cancel last
  eventually no_process_of_run
  [ "$(state_of_run)" = cancelled ]
}

@test "a run is rehearsed" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  on_older_kernel "$DDPSUBMIT" rehearse "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" --json >answer
  [ "$(jq .result.equal answer)" = true ]
}
