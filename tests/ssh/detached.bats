# A run is its hosts' own: it needs neither the terminal, nor ddpsubmit, nor the submit host.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run
load ../support/second_try

setup() { isolate_user; }
teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

@test "kill -9 of an attached ddpsubmit, or its terminal's end: the run goes on" {
  local signal
  for signal in KILL HUP; do
    rm -rf up.* runs
    command_run 2 'touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done; echo done' # for its file
    touch go
    "$DDPSUBMIT" wait "$run_id"
    rm -f go up.*
    "$DDPSUBMIT" run run.yaml >output 2>&1 3>&- &
    eventually ranks_are_up 2
    kill "-$signal" $!
    wait $! || true
    is_in_state running
    touch go
    "$DDPSUBMIT" wait last
    [ "$("$DDPSUBMIT" logs last --rank 1 --stdout)" = 'done' ]
    rm -f go
  done
}

# signal_attached_run SIGNAL: to ddpsubmit, when the ranks are up; sets status.
signal_attached_run() {
  command_run 2 'touch "up.$RANK"; sleep 1000'
  "$DDPSUBMIT" cancel last
  rm -f up.*
  "$DDPSUBMIT" run run.yaml >output 2>&1 3>&- &
  local submitter=$!
  eventually ranks_are_up 2
  eventually takes_signals "$submitter"
  kill "-$1" "$submitter"
  status=0
  wait "$submitter" || status=$?
}

@test "Ctrl-C stops an attached run: exit 130" {
  signal_attached_run INT
  [ "$status" -eq 130 ]
  is_in_state cancelled
  use_newest_run
  eventually no_process_of_run
}

@test "TERM, as of a shutdown, ends ddpsubmit and leaves the run alone: exit 143" {
  signal_attached_run TERM
  [ "$status" -eq 143 ]
  grep -q 'has not ended yet' output
  is_in_state running
  "$DDPSUBMIT" cancel last
}

# shellcheck disable=SC2034 # for no_process_of_run
use_newest_run() { run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1 -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2); }

@test "no answer is unknown, never failed; and it is known again when there is one" {
  command_run 2 'touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done'
  eventually ranks_are_up 2
  stop_sshd node1
  is_in_state unknown
  run "$DDPSUBMIT" status last
  [[ $output == *'node1: no ssh connection'* ]]
  touch go
  eventually has_event run_ended
  is_in_state succeeded # head has said so, in the folder that all share
  start_sshd node1
}

@test "the submit host is switched off and comes back: the run has gone on" {
  command_run 2 'touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done'
  eventually ranks_are_up 2
  ip addr del 10.77.0.254/24 dev bridge0
  is_in_state unknown
  run "$DDPSUBMIT" cancel last
  [ "$status" -eq 7 ]
  ip addr add 10.77.0.254/24 dev bridge0
  eventually has_event run_ended # head has found the cancel on record
  is_in_state cancelled
  eventually no_process_of_run
}

@test "cancel and logs from another shell" {
  command_run 2 'echo "line of $RANK"; touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 2
  [ "$("$DDPSUBMIT" logs "$run_id" --stdout | sort | paste -sd ,)" = '[r0] line of 0,[r1] line of 1' ]
  "$DDPSUBMIT" cancel "$run_id"
  is_in_state cancelled
  no_process_of_run
}

@test "a run on hosts that have ranks of another one says so, with the hosts and that run" {
  command_run 2 'touch "up.$RANK"; until test -e go; do sleep 0.05; done'
  eventually ranks_are_up 2
  first=$run_id
  command_run 2 true
  grep -F "run $first has ranks on node[1-2], and both runs share the CPUs and GPUs; to wait for its end: ddpsubmit wait $first" said
  touch go
  "$DDPSUBMIT" wait "$first"
  command_run 2 true
  run grep -F 'has ranks on' said
  [ "$status" -eq 1 ]
}
