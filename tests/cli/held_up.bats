# A reader of the output that stops reading, as a pager does that is stopped, or a log without an end: signals are served.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; run_id and run_folder are set by start_detached

load ../support/local_run

setup() {
  isolate_user
  mkfifo pipe
  exec 4<>pipe # there is a reader, and it reads nothing
}

teardown() { kill_processes_of_run; }

is_gone() { ! kill -0 "$1" 2>/dev/null; }
# is_full: the pipe has no room for a page. FIONREAD tells what is in it.
is_full() {
  python3 -c 'import array, fcntl, sys; size = array.array("i", [0]); fcntl.ioctl(4, 0x541B, size); sys.exit(size[0] < 61440)'
}

@test "TERM ends a follower whose reader reads nothing" {
  write_config 1 'yes | head -n 100000; sleep 1000'
  start_detached
  for words in "logs $run_id --follow" "logs $run_id --follow --json"; do
    # shellcheck disable=SC2086 # the words are meant
    "$DDPSUBMIT" $words >pipe 3>&- 4>&- &
    follower=$!
    eventually is_full
    kill -TERM "$follower"
    eventually is_gone "$follower"
    wait "$follower" && code=0 || code=$?
    [ "$code" -eq 143 ]
    timeout 1 cat <&4 >/dev/null || true # room for the next one
  done
  "$DDPSUBMIT" cancel "$run_id"
}

@test "Ctrl-C stops an attached run whose output nobody reads, and a second one ends all at once" {
  write_config 1 'trap "" TERM INT; yes | head -n 100000; sleep 1000'
  sed -i 's/grace_period: 2s/grace_period: 10m/' run.yaml
  "$DDPSUBMIT" run run.yaml >pipe 2>said 3>&- 4>&- &
  submitter=$!
  eventually is_full
  use_only_run
  kill -INT "$submitter"
  eventually grep -Fq 'stopping the run' said
  kill -0 "$submitter"
  kill -INT "$submitter"
  eventually is_gone "$submitter"
  wait "$submitter" && code=0 || code=$?
  [ "$code" -eq 130 ]
  [ "$(event run_ended .state)" = cancelled ]
}

@test "neither do many lines of many ranks keep a signal from being served, on both streams" {
  write_config 8 'yes "a line of stderr" | head -n 20000 >&2; yes | head -n 100000; echo done >"done.$RANK"; sleep 1000'
  "$DDPSUBMIT" run run.yaml >pipe 2>&1 3>&- 4>&- &
  submitter=$!
  eventually is_full
  ranks_are_done() { [ "$(find . -name 'done.*' | wc -l)" = 8 ]; }
  eventually ranks_are_done
  kill -INT "$submitter"
  eventually is_gone "$submitter"
  wait "$submitter" && code=0 || code=$?
  [ "$code" -eq 130 ]
  use_only_run
  [ "$(event run_ended .state)" = cancelled ]
}

@test "an alarm of the caller stays, and all is written where the caller has blocked TERM" {
  write_config 1 'yes "a line that is longer" | head -n 20000'
  "$DDPSUBMIT" run run.yaml >whole 2>/dev/null
  perl -e 'use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM)); kill "TERM", $$; exec @ARGV' \
    "$DDPSUBMIT" logs last | (sleep 1 && cat) >slow
  cmp whole slow
  write_config 1 'sleep 1000'
  start_detached
  run perl -e 'alarm 1; exec @ARGV' "$DDPSUBMIT" logs "$run_id" --follow
  [ "$status" -eq 142 ]
  "$DDPSUBMIT" cancel "$run_id"
}

@test "TERM ends the output of a log of many gigabytes, whether the run goes on or has ended" {
  write_config 1 'echo begun; until [ -e go_on ]; do sleep 0.1; done'
  start_detached
  eventually test -s "$run_folder/logs/attempt-0/rank-0.out"
  truncate -s 100G "$run_folder/logs/attempt-0/rank-0.out"
  for step in live ended; do
    "$DDPSUBMIT" logs "$run_id" --follow >/dev/null 3>&- 4>&- &
    follower=$!
    eventually takes_signals "$follower"
    [[ $step == live ]] || eventually grep -Eq '^rchar: [0-9]{9}' "/proc/$follower/io"
    kill -TERM "$follower"
    eventually is_gone "$follower"
    wait "$follower" && code=0 || code=$?
    [ "$code" -eq 143 ]
    : >go_on
    "$DDPSUBMIT" wait "$run_id"
  done
}
