# A rank that stands still is named, and the run goes on without a trace of it.

load ../support/local_run
load ../support/restarts
load ../support/short_waits

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
}

# start_training: one whose steps may take two seconds.
start_training() {
  run_id=$(train_here "run_root=$PWD/runs" fault_tolerance.hang_timeout=2s --detach)
  run_folder=$PWD/runs/$run_id
}

# What head has said of rank $1 of the first attempt.
cause() { event restarting 'select(.attempt == 0) | .message'; }

@test "a rank that is stopped is named, and the run ends with the bytes of an undisturbed one" {
  start_training
  eventually has_checkpoint 0
  kill -STOP "$(pid_of_rank 0 2)"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event restarting '"\(.attempt) \(.cause.rank) \(.cause.signal)"')" = '0 2 null' ]
  [[ $(cause) =~ ^'rank 2 on '.*' made no progress for '[2-9].*': its process is stopped'.*'; the other 3 ranks were stopped'$ ]]
  [ "$(event rank_stalled 'select(.rank == 2) | .process')" = stopped ]
  "$DDPSUBMIT" describe "$run_id" | grep -F 'its process is stopped'
  has_undisturbed_bytes "$run_folder"
  eventually no_process_of_run
}

# signal_run SIGNAL: to head, the guard and all ranks at once, as a scheduler does it to a job.
signal_run() {
  local head guard
  head=$(event head_started .pid)
  guard=$(pid_of_guard)
  # shellcheck disable=SC2046 # a word for each rank
  kill "-$1" "$head" "$guard" $(event rank_started .pid)
}

@test "a run that is suspended as a whole does not hang" {
  start_training
  eventually has_checkpoint 0
  signal_run STOP
  sleep 5
  signal_run CONT
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event restarting .attempt)" = '' ]
  [ "$(event rank_stalled .rank)" = '' ]
}

# shellcheck disable=SC2016 # PPID is that of the shell of the rank
@test "a program that stops its guard ends all the same" {
  shorten pulse lease
  write_config 2 'kill -STOP $PPID; exit 5'
  run "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=0
  [ "$status" -eq 1 ]
  use_only_run
  [ "$(event rank_exited .code | sort -u)" = 5 ]
  eventually no_process_of_run
}

# shellcheck disable=SC2016 # PPID is that of the shell of the rank
@test "a guard that is silent for good is killed, and the run fails with that cause" {
  shorten pulse lease
  write_config 1 'while :; do kill -STOP $PPID; done'
  run "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=0
  [ "$status" -eq 1 ]
  use_only_run
  [[ $(event run_ended .message) =~ 'the guard of the ranks on '.*' did not answer for '[0-9]+' s, not even after SIGCONT' ]]
  eventually no_process_of_run
}
