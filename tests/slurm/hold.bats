# A cluster that holds a requeued job for an hour: nobody follows these runs, and they go on all the same.

load ../support/eventually
load ../support/slurm_requeue
load ../support/second_try

setup() { isolate_user; }

# submit_signalled KEY=VALUE...: a command that ends in its second attempt, or when it is stopped.
submit_signalled() {
  # shellcheck disable=SC2016 # for the shell of the ranks
  submit_command 'trap "exit 0" USR1 TERM; while [ "$DDPSUBMIT_ATTEMPT" = 0 ]; do sleep 0.1; done' \
    fault_tolerance.requeue=true fault_tolerance.signal=USR1 "$@"
  eventually ranks_have_started
}
run_has_succeeded() { [[ $(state_of_run) == succeeded ]]; }

@test "requeued at its time limit" {
  submit_signalled resources.time=00:05:00 fault_tolerance.signal_lead=3m59s
  scancel --batch --signal=USR1 "$(job_id)"
  eventually run_has_succeeded
  [ "$(outcomes)" = 'timed_out succeeded' ]
}

@test "requeued by somebody" {
  submit_signalled resources.time=00:30:00
  scontrol requeue "$(job_id)"
  eventually run_has_succeeded
  [ "$(outcomes)" = 'requeued succeeded' ]
}
