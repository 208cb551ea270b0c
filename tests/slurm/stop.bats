# A run on Slurm is stopped: after a step that all ranks have agreed on, with a checkpoint.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() { isolate_user; }

@test "the stop signal from somebody: one checkpoint; run again, the bytes are those of an undisturbed run" {
  submit
  eventually trains
  scancel --batch --signal=USR2 "$(job_id)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(exit_records .code | sort -u)" = 75 ]
  [ "$(exit_records .last_step | sort -u | wc -l)" -eq 1 ]
  [ "$(event stop_requested .reason | xargs)" = 'time_limit interrupt' ] # there is time left: it was not Slurm's own
  "$DDPSUBMIT" rerun last
  "$DDPSUBMIT" wait last
  local folder
  folder=$(undisturbed resources.tasks_per_node=4)
  cmp runs/*/checkpoints/step-00000470-a1/model.safetensors "$folder/checkpoints/step-00000470-a0/model.safetensors"
}

@test "a bare scancel: the ranks checkpoint, the run is cancelled" {
  submit "${endless[@]}"
  eventually trains
  scancel "$(job_id)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(state_of_run)" = cancelled ]
  eventually no_process_of_run
  eventually job_is_over
}

has_more_steps() { [ "$(steps_logged)" -gt "$1" ]; }
steps_logged() { grep -c '^step ' "$run_folder/logs/attempt-0/rank-0.out"; }

@test "a run that is suspended for longer than agents live without head goes on as it was" {
  shorten pulse lease
  submit train.epochs=1000 fault_tolerance.hang_timeout=2s
  eventually trains
  slow_links
  scontrol suspend "$(job_id)"
  sleep $(($(lease_seconds) + 5))
  local before
  before=$(steps_logged)
  scontrol resume "$(job_id)" # the nodes do it later
  eventually has_more_steps "$before"
  [ -z "$(event attempt_ended .attempt)" ]
  [ -z "$(event rank_stalled .rank)" ]
  "$DDPSUBMIT" cancel last
}

@test "a suspended run is not cancelled in silence: what to do is said, and after resume it checkpoints" {
  submit "${endless[@]}"
  eventually trains
  scontrol suspend "$(job_id)"
  run "$DDPSUBMIT" cancel last
  [ "$status" -eq 8 ]
  [ "${lines[0]}" = "error: job $(job_id) of run $run_id is suspended by Slurm: if it is cancelled now, it cannot write a \
checkpoint and loses its work" ]
  [ "${lines[1]}" = "  help: cancel it after Slurm has resumed it (an operator can do that: scontrol resume $(job_id)); to cancel it now: ddpsubmit cancel --force $run_id" ]
  [ -z "$(event cancel_requested .token)" ]
  local before
  before=$(steps_logged)
  goes_on() { [ "$(steps_logged)" -gt "$before" ]; }
  scontrol resume "$(job_id)" # the nodes do it later
  eventually goes_on
  "$DDPSUBMIT" cancel last | grep 'cancelled .*all ranks stopped after a checkpoint'
  submit "${endless[@]}"
  eventually trains
  scontrol suspend "$(job_id)"
  "$DDPSUBMIT" cancel --force last | grep cancelled
}

# Behind what stands there. Zeros are what a crash leaves.
damage() { head -c 200 /dev/zero | cat - <(echo) >>"$1"; }

@test "a run whose ledger has damaged lines, or is very large, is cancelled, and goes on from its checkpoint" {
  submit "${endless[@]}"
  eventually trains
  damage "$run_folder/ledger/submit.jsonl"
  truncate -s 70M "$run_folder/ledger/head-0.jsonl"
  damage "$run_folder/ledger/head-0.jsonl"
  "$DDPSUBMIT" cancel last 2>said | grep 'cancelled .*all ranks stopped after a checkpoint'
  grep '^warning: .*/ledger/submit.jsonl:3 cannot be read: the line is ignored$' said
  grep '^warning: .*/ledger/head-0.jsonl:[0-9]* cannot be read: the line is ignored$' said
  eventually no_process_of_run
  "$DDPSUBMIT" rerun last
  restarted() { grep -qs '^resumed from step' "$run_folder/logs/attempt-1/rank-0.out"; }
  eventually restarted
  "$DDPSUBMIT" cancel last | grep cancelled
}

@test "a record of a cancel that cannot be read is a cancel" {
  submit 'slurm.options.hold=""'
  job=$(job_id) # newer versions of jq read nothing behind what is damaged
  damage "$run_folder/ledger/cancel-1-1.jsonl"
  scontrol release "$job"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [[ $output == *'cancelled before it started'* ]]
}

requeue_of_job() { scontrol show job "$(job_id)" | grep -o 'Requeue=.'; }

@test "on a full disk a run is cancelled all the same, and stays so" {
  submit "${endless[@]}" fault_tolerance.requeue=true run_root=/run/rig/small
  run_folder=/run/rig/small/$run_id
  eventually trains
  [ "$(requeue_of_job)" = Requeue=1 ]
  cat /dev/zero >/run/rig/small/filler 2>/dev/null || true
  "$DDPSUBMIT" cancel last >said 2>&1
  grep '^warning: the cancellation of run .* could not be recorded: .*No space left on device; stopping the run all the same$' said
  grep cancelled said
  [ "$(requeue_of_job)" = Requeue=0 ]
  eventually job_is_over
  eventually no_process_of_run
  rm -r /run/rig/small/*
}

# Ranks that hang and hear no TERM; the rig's KillWait is 5 s.
submit_deaf() {
  cat >run.yaml <<'CONFIG'
name: deaf
launcher: slurm
run_root: runs
resources: {nodes: 2, tasks_per_node: 1, time: 10m}
command: [sh, -c, 'trap "" TERM; touch "up.$RANK"; while :; do sleep 0.1; done']
CONFIG
  "$DDPSUBMIT" run run.yaml "$@" --detach >id 2>said
  run_folder=$PWD/runs/$(<id)
  eventually [ -e up.1 ]
}

@test "the records of ranks that hang are written before Slurm kills them, at a cancel and a scancel" {
  local stop
  for stop in ddpsubmit scancel; do
    rm -f up.*
    submit_deaf
    if [ "$stop" = scancel ]; then scancel "$(job_id)"; else "$DDPSUBMIT" cancel last; fi
    run "$DDPSUBMIT" wait last
    [ "$(event run_ended .state)" = cancelled ]
    [ "$(exit_records '"\(.signal) \(.ended_by)"' | sort | uniq -c | xargs)" = '2 9 agent' ]
    [ "$(grep -c 'KillWait' said)" -eq 0 ]
  done
  submit_deaf fault_tolerance.grace_period=20s
  grep -q '^fault_tolerance.grace_period is 20 s, but Slurm kills a job 5 s after it has told it to stop (KillWait): ranks have 4 s$' said
  "$DDPSUBMIT" cancel last
}
