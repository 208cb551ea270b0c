# A run that is stopped at its time limit goes on in another start of its job; one that is cancelled never comes back.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shells of the ranks; run_folder is set by submit

load ../support/eventually
load ../support/slurm_faults
load ../support/slurm_requeue

setup() { isolate_user; }
teardown() { kill -CONT "$(rig_pid slurmctld)"; }

@test "stopped at its time limit and requeued twice, it ends with the bytes of an undisturbed run" {
  submit_near_limit
  "$DDPSUBMIT" wait last &>waited 3>&- & # has the held job started at once
  waiter=$!
  for attempt in 0 1; do
    eventually trains_in "$attempt"
    announce_time_limit
    eventually was_requeued "$attempt"
  done
  "$DDPSUBMIT" describe last >described
  fast_links
  grep -E 'attempt 1: timed out' described
  grep -E '^state +queued' described
  grep -E 'requeued at its time limit; attempt 2 resumes from step [0-9]+' described
  wait "$waiter"
  [ "$(outcomes)" = 'timed_out timed_out succeeded' ]
  [ "$(event requeued '"\(.reason) \(.count) \(.lost_steps)"' | xargs)" = 'time_limit 1 0 time_limit 2 0' ]
  resumes_from_where_it_was_requeued
  has_undisturbed_bytes
  [ "$(find "$run_folder"/logs/attempt-* -name 'rank-3.out' | wc -l)" -eq 3 ]
}

@test "Slurm's own signal requeues it, within max_requeues" {
  submit_near_limit "${endless[@]}" fault_tolerance.max_requeues=1
  "$DDPSUBMIT" wait last &>waited 3>&- &
  waiter=$!
  slow_links
  until was_requeued 0; do sleep 0.2; done # Slurm sends it within the first minute
  eventually trains_in 1
  announce_time_limit
  code=0
  wait "$waiter" || code=$?
  [ "$code" -eq 1 ]
  [ "$(outcomes)" = 'timed_out timed_out' ]
  [ "$(event run_ended .state)" = timed_out ]
  [[ $(event run_ended .message) == *'Not requeued: fault_tolerance.max_requeues (1) is reached'* ]]
  resumes_from_where_it_was_requeued
  eventually job_is_over
}

@test "a time limit that is shortened while it runs: Slurm's signal is that of the limit, and the job is requeued" {
  submit fault_tolerance.requeue=true resources.time=00:20:00 fault_tolerance.signal_lead=50s "${endless[@]}"
  eventually trains
  slow_links
  scontrol update JobId="$(job_id)" TimeLimit=1
  eventually was_requeued 0 # Slurm sends it within half a minute
  [ "$(event stop_requested .reason)" = time_limit ]
  [ "$(event requeued .reason)" = time_limit ]
  [ "$(outcomes)" = timed_out ]
  [ "$(exit_records .code | sort -u)" = 75 ]
  "$DDPSUBMIT" cancel last
}

all_ranks_left() { [[ $(find "$run_folder/exit/attempt-0" -name 'rank-*.json' | wc -l) -eq 4 ]]; }

@test "a controller that is silent at the signal of a shortened limit: the ranks checkpoint meanwhile, and its answer names the limit" {
  submit fault_tolerance.requeue=true resources.time=00:20:00 fault_tolerance.signal_lead=95s "${endless[@]}"
  eventually trains
  scontrol update JobId="$(job_id)" TimeLimit=3 # its own signal is half a minute away
  kill -STOP "$(rig_pid slurmctld)"
  kill -USR2 "$(event head_started .pid)"
  eventually all_ranks_left
  [ "$(exit_records .code | sort -u)" = 75 ]
  [ "$(event stop_requested .reason)" = time_limit ]
  kill -CONT "$(rig_pid slurmctld)"
  eventually was_requeued 0
  [ "$(event stop_requested .reason)" = time_limit ]
  [ "$(event requeued .reason)" = time_limit ]
  "$DDPSUBMIT" cancel last
}

checkpoint_has_begun() { compgen -G "$run_folder/checkpoints/step-*.incomplete"; }

@test "a checkpoint that takes longer than signal_lead: it says which one to set" {
  submit fault_tolerance.requeue=true resources.time=00:03:00 fault_tolerance.signal_lead=1s 'slurm.options.hold=""' \
    resources.nodes=1 'train.model.hidden_dims=[3072, 3072]' train.epochs=1000 train.log.every_steps=1 train.checkpoint.every_epochs=1000
  scontrol update JobId="$(job_id)" TimeLimit=1 # shorter than what a file may ask for
  scontrol release "$(job_id)"
  eventually trains
  rank=$(pid_of_rank 0 0)
  announce_time_limit &
  until checkpoint_has_begun; do kill -0 "$rank"; done # it is stopped while it saves, or shortly after
  kill -STOP "$rank"
  sleep 2
  kill -CONT "$rank"
  eventually was_requeued 0
  [[ $(event requeued .message) =~ 'the last checkpoint took '([0-9]+)' s, but fault_tolerance.signal_lead is 1s; set it to at least '([0-9]+)s ]]
  took=${BASH_REMATCH[1]} advised=${BASH_REMATCH[2]}
  [ "$took" -eq "$(exit_records '(.checkpoint_milliseconds + 999) / 1000 | floor' | sort -n | tail -1)" ]
  ((advised >= took + 20 && advised >= 22)) # the rank was stopped for two of these seconds
  "$DDPSUBMIT" cancel last
}

@test "requeued outside ddpsubmit: it is called that, and goes on where it was" {
  submit_requeued
  eventually trains
  scontrol requeue "$(job_id)"
  eventually was_requeued 0
  fast_links
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'requeued succeeded' ]
  [ "$(event requeued .reason)" = requeued ]
  [[ $(event attempt_ended .message) == 'requeued outside ddpsubmit (scontrol requeue); all ranks stopped after a checkpoint'* ]]
  resumes_from_where_it_was_requeued
}

@test "a command that names a signal is requeued, too, and the command of notify is told" {
  cat >run.yaml <<'EOF'
name: job
run_root: runs
launcher: slurm
resources: {nodes: 2, tasks_per_node: 1, time: "00:05:00"}
fault_tolerance: {requeue: true, signal: USR1, signal_lead: 3m59s}
notify: {command: [sh, -c, 'cat >>told'], events: [requeued, ended]}
command: [bash, -c, 'trap "exit 0" USR1; touch up.$DDPSUBMIT_ATTEMPT.$RANK; while [ "$DDPSUBMIT_ATTEMPT" = 0 ]; do sleep 0.1; done']
EOF
  submit_file run.yaml
  eventually test -e up.0.1
  scancel --batch --signal=USR1 "$(job_id)"
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'timed_out succeeded' ]
  [ -e up.1.0 ]
  both_are_told() { [ "$(wc -l <told)" -eq 2 ]; }
  eventually both_are_told
  [ "$(jq -r '"\(.event) \(.state) \(.attempt) \(.job_id)"' told | paste -sd ,)" = "requeued queued 0 $(job_id),ended succeeded 1 $(job_id)" ]
}

# submit_with_signal COMMAND: two ranks that run it in a shell; the file names USR1.
submit_with_signal() {
  cat >run.yaml <<EOF
name: job
run_root: runs
launcher: slurm
resources: {nodes: 2, tasks_per_node: 1, time: "00:05:00"}
fault_tolerance: {requeue: true, signal: USR1, signal_lead: 3m59s}
command: [bash, -c, $(jq -n --arg text "$1" '$text')]
EOF
  submit_file run.yaml
}

@test "a program without a handler of the stop signal is requeued once, not for ever" {
  submit_with_signal 'touch up.$DDPSUBMIT_ATTEMPT.$RANK; exec sleep 1000'
  "$DDPSUBMIT" wait last &>waited 3>&- &
  waiter=$!
  for attempt in 0 1; do
    eventually test -e "up.$attempt.0" -a -e "up.$attempt.1"
    scancel --batch --signal=USR1 "$(job_id)"
  done
  code=0
  wait "$waiter" || code=$?
  [ "$code" -eq 1 ]
  [ "$(outcomes)" = 'timed_out timed_out' ]
  [ "$(event attempt_ended .unhandled_signal | xargs)" = 'USR1 USR1' ]
  [[ $(event requeued .message) == *'attempt 1 follows; all ranks died of USR1, for which the program has no handler, '*'; if this happens again, the run ends' ]]
  [[ $(event run_ended .message) == *'they died of USR1: the program has no handler for it and saved nothing at the stop. Not requeued: the attempt before ended in the same way, '* ]]
  eventually job_is_over
}

@test "a program that requeues its job at the stop signal: it is counted as one at the time limit" {
  submit_with_signal 'trap "[ \$RANK != 0 ] || scontrol requeue \$SLURM_JOB_ID" USR1; [ $RANK != 1 ] || trap "" TERM
    touch up.$DDPSUBMIT_ATTEMPT.$RANK
    while [ $DDPSUBMIT_ATTEMPT = 0 ]; do sleep 0.1; done'
  eventually test -e up.0.0 -a -e up.0.1
  scancel --batch --signal=USR1 "$(job_id)"
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'timed_out succeeded' ]
  [ "$(event requeued '"\(.reason) \(.count)"')" = 'time_limit 1' ]
  [[ $(event attempt_ended .message | head -1) == *'; 1 rank had to be killed' ]]
}

@test "cancel while it waits for its next start: it is gone for good" {
  hold_when_requeued
  PATH=$heads_path submit_near_limit "${endless[@]}"
  eventually trains
  announce_time_limit
  eventually was_requeued 0
  "$DDPSUBMIT" cancel last
  eventually job_is_over
  [ "$(state_of_run)" = cancelled ]
  [ ! -e "$run_folder/attempts/1" ]
}

@test "a bare scancel while it waits for its next start: it is gone for good" {
  hold_when_requeued
  PATH=$heads_path submit_near_limit "${endless[@]}"
  eventually trains
  announce_time_limit
  eventually job_is_pending
  scancel "$(job_id)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(state_of_run)" = cancelled ]
}

@test "cancel and a bare scancel while it runs: it does not come back" {
  for way in "$DDPSUBMIT cancel last" 'scancel -v'; do
    submit_requeued "${endless[@]}"
    eventually trains
    [[ $way != scancel* ]] || way="scancel $(job_id)"
    $way
    run "$DDPSUBMIT" wait last
    [ "$(state_of_run)" = cancelled ]
    eventually job_is_over
    [ "$(outcomes)" = cancelled ]
    [ -z "$(event requeued .)" ]
  done
}

@test "cancel cannot reach Slurm: the head of the next start sees its record and ends at once" {
  hold_when_requeued
  PATH=$heads_path submit_near_limit "${endless[@]}"
  eventually trains
  announce_time_limit
  eventually job_is_pending
  mkdir broken
  printf '#!/bin/sh\nexit 1\n' | tee broken/scancel >broken/scontrol
  chmod +x broken/*
  PATH=$PWD/broken:$PATH run "$DDPSUBMIT" cancel last
  [ "$status" -ne 0 ]
  run "$DDPSUBMIT" wait last
  [ "$(event run_ended '"\(.state): \(.message)"')" = 'cancelled: cancelled before it started' ]
  [ "$(event attempt_started .attempt)" = 0 ]
  [ "$(event head_started .restart_count | xargs)" = '0 1' ]
}

@test "who waits for several runs has a requeued one started while another one goes on" {
  printf '%s\n' 'name: first' 'launcher: slurm' 'run_root: runs' \
    "command: [sh, -c, 'until test -e $PWD/go; do sleep 0.1; done']" >first.yaml
  printf '%s\n' 'name: second' 'launcher: slurm' 'run_root: runs' 'fault_tolerance: {requeue: true}' \
    "command: [sh, -c, 'test \$DDPSUBMIT_ATTEMPT != 0 || sleep 1000']" >second.yaml
  first=$("$DDPSUBMIT" run first.yaml)
  hold_when_requeued
  PATH=$heads_path submit_file second.yaml
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '[[ -n $(event rank_started .pid) ]]'
  scontrol requeue "$(job_id)"
  eventually job_is_pending
  "$DDPSUBMIT" wait "$first" "$run_id" &>waited 3>&- &
  waiter=$!
  # shellcheck disable=SC2016
  eventually eval '[[ $(event run_ended .state) == succeeded ]]'
  [ "$("$DDPSUBMIT" status "$first" --json | jq -r '.runs[0].state')" = running ]
  touch go
  wait "$waiter"
}
