# What fails on Slurm starts again in the same job, without going back to the queue, and ends as if nothing had been.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/slurm_run
load ../support/restarts
load ../support/second_try

setup() { isolate_user; }

steps_of_job() { squeue --noheader --steps --jobs="$(job_id)" --format='%i %j' | awk '$2 == "ddp-agent" {print $1}'; }

# submit_training [KEY=VALUE...]: on links that leave a case the time to act.
submit_training() {
  training=("${training[@]/train.max_steps=*/train.max_steps=300}")
  submit "${training[@]}" "$@"
  slow_links 400mbit
  eventually has_checkpoint 0
}

was_never_requeued() {
  [ "$(event head_started .restart_count)" = 0 ]
  scontrol show job "$(job_id)" | grep -q ' Restarts=0 '
}

@test "kill -9 of a rank: the next attempt runs in the same step, and ends with the same bytes" {
  submit_training
  step=$(steps_of_job)
  [ -n "$step" ]
  kill_and_time 0 "$(pid_of_rank 0 3)"
  [ "$(steps_of_job)" = "$step" ]
  "$DDPSUBMIT" wait last
  was_never_requeued
  [ "$(event restarting '"\(.attempt) \(.next_attempt) \(.cause.rank) \(.cause.host)"')" = '0 1 3 node2' ]
  has_undisturbed_bytes "$run_folder"
}

@test "kill -9 of a task agent: a new step of the same job, and the same bytes" {
  submit_training
  step=$(steps_of_job)
  kill_and_time 0 "$(parent_of "$(parent_of "$(pid_of_rank 0 2)")")"
  [ -n "$(steps_of_job)" ]
  [ "$(steps_of_job)" != "$step" ]
  "$DDPSUBMIT" wait last
  was_never_requeued
  [[ $(event restarting .message) == 'lost the agent on node2: '* ]]
  has_undisturbed_bytes "$run_folder"
}

@test "kill -9 of a guard: its node is named, and the run goes on in the same step" {
  submit_training
  step=$(steps_of_job)
  kill_and_time 0 "$(parent_of "$(pid_of_rank 0 2)")"
  [ "$(steps_of_job)" = "$step" ]
  "$DDPSUBMIT" wait last
  [ "$(event restarting .cause.host)" = node2 ]
}

@test "a rank that is stopped on another node than head's is named, and the run ends with the same bytes" {
  submit_training fault_tolerance.hang_timeout=2s
  kill -STOP "$(pid_of_rank 0 3)"
  "$DDPSUBMIT" wait last
  [ "$(event restarting '"\(.cause.rank) \(.cause.host)"')" = '3 node2' ]
  # The agents of four tasks kill at four moments: a rank may see its peers go before its own agent kills it.
  [[ $(event restarting .message) == *': its process is stopped'*' were stopped' ]]
  [ "$(exit_records 'select(.rank != 3) | .ended_by == "agent" or .code == 76' | xargs)" = 'true true true' ]
  [ "$(event rank_stalled 'select(.rank == 3) | .process')" = stopped ]
  has_undisturbed_bytes "$run_folder"
}

@test "a command starts again on all nodes" {
  cat >run.yaml <<EOF
name: job
launcher: slurm
run_root: $BATS_TEST_TMPDIR/runs
resources: {nodes: 2, tasks_per_node: 2, time: "00:10:00"}
fault_tolerance: {max_restarts: 1}
command: [sh, -c, 'echo "\$RANK \$TORCHELASTIC_RESTART_COUNT \$GROUP_RANK"; [ "\$TORCHELASTIC_RESTART_COUNT" = 1 ] || [ "\$RANK" != 2 ]']
EOF
  run_id=$("$DDPSUBMIT" run run.yaml)
  run_folder=$BATS_TEST_TMPDIR/runs/$run_id
  "$DDPSUBMIT" wait last
  [ "$(cat "$run_folder"/logs/attempt-1/rank-*.out | paste -sd ,)" = '0 1 0,1 1 0,2 1 1,3 1 1' ]
  [ "$(event head_started .attempt)" = 0 ]
}
