# A run on the rig that Slurm may start again.

# shellcheck source=tests/support/slurm_run.bash
source "${BASH_SOURCE[0]%/*}/slurm_run.bash"

# submit_requeued [KEY=VALUE...]: as submit, an epoch that is so slow that the test stops it before its end, however busy the machine is. What
# is left of it runs fast after fast_links.
submit_requeued() { submit fault_tolerance.requeue=true resources.time=00:20:00 train.epochs=1 train.log.every_steps=10 "$@"; }
# With these times the stop signal means the time limit from the first second on. Slurm itself sends it half a minute after a start.
near_limit=(resources.time=00:05:00 fault_tolerance.signal_lead=3m59s)
# submit_near_limit [KEY=VALUE...]: as submit_requeued.
submit_near_limit() { submit_requeued "${near_limit[@]}" "$@"; }

# hold_when_requeued: sets heads_path; with that PATH, head of a job asks for a start in an hour instead of in two seconds.
# shellcheck disable=SC2016,SC2034 # what is in single quotes is for the script; tests read heads_path
hold_when_requeued() {
  mkdir -p "$BATS_TEST_TMPDIR/holding"
  printf '%s\n' '#!/bin/bash' "exec $(type -P scontrol)"' "${@/#StartTime=*/StartTime=now+3600}"' >"$BATS_TEST_TMPDIR/holding/scontrol"
  chmod +x "$BATS_TEST_TMPDIR/holding/scontrol"
  heads_path=$BATS_TEST_TMPDIR/holding:$PATH
}

# submit_file FILE: one whose run_root is runs.
submit_file() {
  run_id=$("$DDPSUBMIT" run "$1") || return
  run_folder=$BATS_TEST_TMPDIR/runs/$run_id
}

# As Slurm does it before the time limit.
announce_time_limit() { scancel --batch --signal=USR2 "$(job_id)"; }

trains_in() { grep -qs '^step ' "$run_folder/logs/attempt-$1/rank-0.out"; }

was_requeued() { [[ $(event requeued .attempt) == *"$1" ]]; }

job_is_pending() { [[ $(squeue -h -j "$(job_id)" -o %T) == PENDING ]]; }

# Each attempt says in its log where it goes on, and head has said so before.
resumes_from_where_it_was_requeued() {
  local attempt step
  while read -r attempt step; do
    grep -qx "resumed from step $step" "$run_folder/logs/attempt-$((attempt + 1))/rank-0.out" || return
  done < <(event requeued '"\(.attempt) \(.step)"')
}

# has_undisturbed_bytes: those of the same training on this host.
has_undisturbed_bytes() { has_bytes_of_undisturbed "$run_folder" resources.tasks_per_node=4 train.epochs=1; }
