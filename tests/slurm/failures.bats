# Whatever is killed on Slurm, the rest of the run ends and the truth is told.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() {
  isolate_user
  submit train.epochs=1000 fault_tolerance.max_restarts=0 # its ranks lose each other, too
  slow_links 400mbit
  eventually trains
}


# kill_and_time PID: prints how long the job took to end, and how long its processes.
kill_and_time() {
  local start ended
  start=$(date +%s%3N)
  kill -9 "$1"
  eventually no_process_of_run
  ended=$(date +%s%3N)
  eventually job_is_over
  echo "# no process of the run after $((ended - start)) ms, job over after $(($(date +%s%3N) - start)) ms" >&3
}

@test "kill -9 of a rank: the job ends with that rank named" {
  kill_and_time "$(pid_of_rank 0 3)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [[ $output == *'rank 3'*node2* ]]
  [ "$(event run_ended '"\(.state) \(.cause.rank) \(.cause.host) \(.cause.signal)"')" = 'failed 3 node2 9' ]
  [ "$(exit_records 'select(.ended_by == "itself" and .signal == 9) | .rank')" = 3 ]
  (($(event run_ended .cause.last_step) > 0))
}

@test "kill -9 of a task agent: the job ends and is failed" {
  rank=$(pid_of_rank 0 2)
  guard=$(parent_of "$rank")
  kill_and_time "$(parent_of "$guard")"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(state_of_run)" = failed ]
}

@test "kill -9 of a guard: the job ends, and the guard's node is named" {
  kill_and_time "$(parent_of "$(pid_of_rank 0 2)")"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(event run_ended '"\(.state) \(.cause.host)"')" = 'failed node2' ]
}

@test "kill -9 of head: agents stop their ranks, the job ends and is failed" {
  kill_and_time "$(event head_started .pid)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(state_of_run)" = failed ]
}
