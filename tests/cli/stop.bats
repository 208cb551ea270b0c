# Whatever stops a run or one of its processes: no process is left, and the truth is told.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

# Four ranks, each with a child in a session of its own.
setup() {
  isolate_user
  write_config 4 'setsid sleep 1000 & touch "up.$RANK"; sleep 1000'
}

teardown() { kill_processes_of_run; }

start_and_wait() {
  start_attached
  eventually ranks_are_up 4
}

pid_of_head() { event head_started .pid; }
submitter_ended() { ! kill -0 "$submitter" 2>/dev/null; }

# Sets status, as `run` does; `run` itself is a subshell, which cannot wait for it.
await_submitter() {
  eventually submitter_ended
  status=0
  wait "$submitter" || status=$?
}

@test "Ctrl-C stops the run: exit 130, cancelled" {
  start_and_wait
  kill -INT "$submitter"
  await_submitter
  [ "$status" -eq 130 ]
  eventually no_process_of_run
  [ "$(state_of_run)" = cancelled ]
}

@test "a second Ctrl-C does not wait for the grace" {
  write_config 4 'trap "" TERM; touch "up.$RANK"; while :; do sleep 0.1; done'
  sed -i 's/grace_period: 2s/grace_period: 10m/' run.yaml
  start_and_wait
  kill -INT "$submitter"
  eventually grep -q stopping said
  kill -INT "$submitter"
  await_submitter
  [ "$status" -eq 130 ]
  eventually no_process_of_run
  [ "$(state_of_run)" = cancelled ]
}

@test "Ctrl-C, TERM and kill -9 during the set-up lines leave nothing" {
  echo 'environment: {setup: ["setsid sleep 1000 & touch up.0", "sleep 1000"]}' >>run.yaml
  local signal
  for signal in INT TERM KILL; do
    rm -rf up.* runs
    start_attached
    eventually ranks_are_up 1
    kill "-$signal" "$submitter"
    await_submitter
    eventually no_process_of_run
    [ "$(state_of_run)" = cancelled ]
  done
}

@test "Ctrl-C is an INT for ranks that catch it, also behind a shell, and a TERM for the others" {
  cat >rank.py <<'PYTHON'
import os, signal, sys, time

rank = os.environ['RANK']
if rank == '2':
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(open('terminated.2', 'w').close()))
try:
    open('up.' + rank, 'w').close()
    while True:
        time.sleep(0.05)
except KeyboardInterrupt:
    open('interrupted.' + rank, 'w').close()
PYTHON
  write_config 4 'case $RANK in 0 | 2) exec python3 rank.py ;; 1) python3 rank.py; echo after ;; esac; touch up.3; exec sleep 1000'
  start_and_wait
  kill -INT "$submitter"
  await_submitter
  [ "$status" -eq 130 ]
  [ "$(printf '%s ' interrupted.* terminated.*)" = 'interrupted.0 interrupted.1 terminated.2 ' ]
  [ "$(state_of_run)" = cancelled ]
}

@test "TERM stops the run: exit 143" {
  start_and_wait
  kill -TERM "$submitter"
  await_submitter
  [ "$status" -eq 143 ]
  eventually no_process_of_run
}

@test "cancel stops it, tells so, and is harmless afterwards" {
  start_and_wait
  "$DDPSUBMIT" cancel last | grep cancelled
  eventually no_process_of_run
  await_submitter
  [ "$status" -eq 1 ]
  [[ $(<said) == *cancelled* ]]
  [ "$(event stop_requested .reason)" = cancel ]
  "$DDPSUBMIT" cancel last
  [ "$(event cancel_requested .pid | wc -l)" = 1 ]
}

@test "kill -9 of a rank: the run ends, that rank is named" {
  start_and_wait
  kill -9 "$(pid_of_rank 0 2)"
  await_submitter
  [ "$status" -eq 1 ]
  eventually no_process_of_run
  [[ $(<said) == *'failed: rank 2 '*'signal 9 (KILL)'* ]]
  [ "$(event run_ended '"\(.state) \(.cause.rank) \(.cause.signal)"')" = 'failed 2 9' ]
}

@test "kill -9 of ddpsubmit: the run ends and is not called a success" {
  start_and_wait
  kill -9 "$submitter"
  eventually no_process_of_run
  [ "$(event stop_requested .reason)" = detached_submitter ]
  [ "$(state_of_run)" = "$(event run_ended .state)" ]
  [ "$(state_of_run)" != succeeded ]
}

@test "kill -9 of head: the ranks end, ddpsubmit says what happened" {
  start_and_wait
  kill -9 "$(pid_of_head)"
  await_submitter
  [ "$status" -eq 1 ]
  [[ $(<said) == *'its head '*' died'* ]]
  eventually no_process_of_run
  [ "$(state_of_run)" = failed ]
}

@test "the secrets of a run do not outlive it, even if its head was killed" {
  export API_KEY=s3cret
  sed -i '$a environment: {secrets: [API_KEY]}' run.yaml
  start_and_wait
  [ -e "$run_folder/secrets.json" ]
  kill -9 "$(pid_of_head)"
  await_submitter
  [ ! -e "$run_folder/secrets.json" ]
}

# A lost submission is over when no head has come for two minutes; here its record is made older.
make_submission_older() {
  local file=$run_folder/ledger/submit.jsonl old
  old=$(date -u -d '10 minutes ago' +%Y-%m-%dT%H:%M:%S.000Z)
  jq -c --arg old "$old" '.time = $old' "$file" >older
  cat older >"$file"
}

@test "the secrets of a submission that was killed go when somebody finds that nothing was started" {
  export API_KEY=s3cret
  sed -i '$a environment: {secrets: [API_KEY]}' run.yaml
  run strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:signal=KILL:when=1 "$DDPSUBMIT" run run.yaml --detach
  [ "$status" -ne 0 ]
  use_only_run
  [ -e "$run_folder/secrets.json" ]
  [ "$(state_of_run)" = unknown ]
  [ -e "$run_folder/secrets.json" ]
  make_submission_older
  [ "$(state_of_run)" = failed ]
  [ ! -e "$run_folder/secrets.json" ]
}

@test "kill -9 of the guard: the ranks end and the run has failed" {
  start_and_wait
  kill -9 "$(parent_of "$(pid_of_rank 0 0)")"
  await_submitter
  [ "$status" -eq 1 ]
  eventually no_process_of_run
  [ "$(state_of_run)" = failed ]
}

@test "kill -9 of the head of a detached run: status tells it" {
  start_detached
  eventually ranks_are_up 4
  [ "$(state_of_run)" = running ]
  [ "$("$DDPSUBMIT" status last --json | jq '.runs[0].elapsed_seconds > 0')" = true ]
  kill -9 "$(pid_of_head)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  eventually no_process_of_run
  [ "$(state_of_run)" = failed ]
  [[ $("$DDPSUBMIT" status last) == *' failed  -  '*' its head '* ]] # since when, nobody knows
  [ "$("$DDPSUBMIT" status last --json | jq '.runs[0].elapsed_seconds')" = null ]
}

@test "what ranks leave behind when they end by themselves is swept" {
  write_config 4 'setsid sleep 1000 & exit 0'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  no_process_of_run
}
