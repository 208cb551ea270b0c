# Jobs that an earlier version has put into the queue of Slurm, and that run with the agent of today: script and plan are those of then.
# EARLIER names the version.
# shellcheck disable=SC2154 # run_folder is set by queue

load ../support/slurm_faults
load ../support/slurm_requeue
load earlier

data=$SOURCE_DIR/tests/earlier/${EARLIER:=0.1.0}

setup() {
  isolate_user
  use_folder_of_runs
}
teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

# queue NAME [VARIABLE=VALUE...]: the recorded job lies in the queue of this Slurm, held. Its script has all options that sbatch was given. The
# environment is that of a submission, in which a sweep has variables besides. Sets run_id, run_folder and job.
queue() {
  lay_out "$data/queued/$1"
  fill_in "HOST=$(uname -n)" "USER=$(id -un)" "TOKEN=$(head -c 8 /dev/urandom | od -An -tx1 | tr -d ' \n')"
  run_folder=$(echo "$PWD"/runs/*)
  run_id=${run_folder##*/}
  cp -R "$run_folder" recorded
  job=$(env "PATH=$PATH:${DDPSUBMIT%/*}" "${@:2}" sbatch --parsable --hold "$run_folder/script.sbatch")
  fill_in "JOB=$job"
  [ "$("$DDPSUBMIT" status last --json | jq -r '.runs[0] | "\(.run_id) \(.state) \(.job_id)"')" = "$run_id queued $job" ]
}

# The plans are still what the earlier version has written.
plans_are_as_recorded() {
  local plan
  for plan in $(cd recorded && find . -name plan.json); do cmp "recorded/$plan" "$run_folder/$plan"; done
}

# ended_in STATE
ended_in() {
  [ "$(state_of_run)" = "$1" ]
  plans_are_as_recorded
  eventually job_is_over
  eventually no_process_of_run
}

is_up_in() { [ -e "up.$1.0" ] && [ -e "up.$1.1" ]; }

@test "a command runs to its end" {
  queue command
  scontrol release "$job"
  eventually is_up_in 0
  [ "$(state_of_run)" = running ]
  touch go
  "$DDPSUBMIT" wait last
  [ ! -e "$run_folder/secrets.json" ]
  [ "$("$DDPSUBMIT" logs last --stdout | sort | paste -sd ,)" = '[r0] set, a secret: attempt 0 of rank 0,[r1] set, a secret: attempt 0 of rank 1' ]
  [ "$("$DDPSUBMIT" describe last --json | jq -c '[.job_id, .exit_code, [.attempts[] | [.number, .outcome, .hosts]]]')" = \
    "[\"$job\",0,[[0,\"succeeded\",[\"node1\",\"node2\"]]]]" ]
  ended_in succeeded
}

@test "a command that is requeued from outside runs again, as attempt 1" {
  queue command
  scontrol release "$job"
  eventually is_up_in 0
  scontrol requeue "$job"
  "$DDPSUBMIT" wait last &>waited 3>&- & # has the held job started at once
  waiter=$!
  eventually is_up_in 1
  touch go
  wait "$waiter"
  [ "$(outcomes)" = 'requeued succeeded' ]
  [ "$(event head_started '"\(.attempt) \(.restart_count)"' | paste -sd ,)" = '0 0,1 1' ]
  ended_in succeeded
}

was_stopped() { [[ $(event stop_requested .attempt) == *"$1"* ]]; }

@test "a training is requeued at its time limit, and goes on where it was" {
  queue training
  scontrol release "$job"
  eventually trains
  rank=$(pid_of_rank 0 0)
  kill -STOP "$rank" # it waits for the signal
  announce_time_limit
  eventually was_stopped 0
  kill -CONT "$rank"
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'timed_out succeeded' ]
  [ "$(event requeued '"\(.reason) \(.count) \(.lost_steps)"')" = 'time_limit 1 0' ]
  resumes_from_where_it_was_requeued
  ended_in succeeded
}

@test "cancel while it waits: it never starts" {
  queue command
  "$DDPSUBMIT" cancel last
  [ ! -e "$run_folder/attempts/0" ]
  ended_in cancelled
}

@test "cancel while it runs" {
  queue command
  scontrol release "$job"
  eventually is_up_in 0
  "$DDPSUBMIT" cancel last
  [ "$(outcomes)" = cancelled ]
  ended_in cancelled
}

@test "cancel while it waits for its next start: it does not come back" {
  queue command
  scontrol release "$job"
  eventually is_up_in 0
  scontrol requeue "$job"
  eventually job_is_pending
  "$DDPSUBMIT" cancel last
  [ "$(outcomes)" = requeued ]
  ended_in cancelled
}

@test "a head that sees a cancel on record ends at once" {
  queue command
  mkdir broken
  printf '#!/bin/sh\nexit 1\n' | tee broken/scancel >broken/scontrol
  chmod +x broken/*
  PATH=$PWD/broken:$PATH run "$DDPSUBMIT" cancel last
  [ "$status" -ne 0 ]
  scontrol release "$job"
  run "$DDPSUBMIT" wait last
  [ "$(event run_ended '"\(.state): \(.message)"')" = 'cancelled: cancelled before it started' ]
  ended_in cancelled
}

@test "the points of a sweep run as tasks of one array, and one of them is cancelled alone" {
  queue sweep DDPSUBMIT_FIRST_POINT=0
  "$DDPSUBMIT" cancel last/1
  scontrol release "${job}_0,${job}_2"
  run "$DDPSUBMIT" wait last
  [ "$("$DDPSUBMIT" status last --json | jq -c '[.runs[0].sweep.points[].state]')" = '["succeeded","cancelled","succeeded"]' ]
  [ "$("$DDPSUBMIT" logs last/2 --stdout)" = $'[r0] X is 3\n[r1] X is 3' ]
  ended_in cancelled
}
