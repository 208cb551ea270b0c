# A host is gone for good, or comes back without its past: nothing of the run stays there, the next attempt takes over from a head that is out of
# reach, and a host that was booted again is taken back.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run
load ../support/second_try

setup() { isolate_user; }
teardown() {
  local host
  for host in node{1..3}; do
    [[ -n $(processes_on "$host") ]] || boot_host "$host"
  done
  reconnect node1
  reconnect node2
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

ranks_end() { ! processes_on "$1" | grep -q 'sleep 1000'; }
processes_end() { ! processes_on "$1" | grep -qv sshd; }

@test "head's host is gone: the ranks stop by themselves, and nobody calls the run failed" {
  shorten pulse lease comeback drain
  command_run 2 'touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 2
  kill_host node1
  is_in_state unknown
  eventually ranks_end node2
  # Its agent still looks for head for a while.
  eventually processes_end node2 || eventually processes_end node2
  is_in_state unknown
  boot_host node1
  is_in_state failed
}

# all_are_up ATTEMPT RANKS
all_are_up() { [[ $(find . -maxdepth 1 -name "up.$1.*" | wc -l) -eq $2 ]]; }

# Of a run that may do with one host less, and whose head's host is gone.
lose_heads_host() {
  shorten pulse lease drain absence
  train 3 2 fault_tolerance.min_nodes=2 train.data.batch_size=null train.data.global_batch_size=96 train.checkpoint.every_steps=20 \
    ssh.connect_timeout=5s
  eventually has_checkpoint 0
  kill_host node1
  is_in_state unknown
}

@test "head's host is gone: rerun starts the next attempt on the others, and the old one commits nothing more" {
  lose_heads_host
  "$DDPSUBMIT" rerun "$run_id" --detach 2>rerun_said
  grep -q 'node1.*the run starts without it' rerun_said
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event head_started '"\(.attempt) \(.host)"' | paste -sd ,)" = '0 node1,1 node2' ]
  [ "$(event attempt_started 'select(.attempt == 1) | .hosts | join(" ")')" = 'node2 node3' ]
  [ "$(state_of_run)" = succeeded ]
}

@test "who is cut off and overtaken commits no further checkpoint, and stops" {
  shorten pulse lease drain absence
  cut_off node2
  train 2 1 fault_tolerance.min_nodes=1 train.data.batch_size=null train.data.global_batch_size=64 \
    train.max_steps=1000000 train.checkpoint.every_steps=200 train.checkpoint.keep=100000 ssh.connect_timeout=5s
  eventually has_checkpoint 0
  reconnect node2
  cut_off node1
  is_in_state unknown
  "$DDPSUBMIT" rerun "$run_id" --detach 2>/dev/null
  eventually has_checkpoint 1
  run "$DDPSUBMIT" rerun "$run_id" --detach
  [ "$status" -eq 8 ]
  [[ $output == *"run $run_id has not ended: it is running"* ]]
  eventually has_ended "$(pid_of_rank 0 0)"
  [ -n "$(find "$run_folder/checkpoints" -maxdepth 1 -name 'step-*-a0')" ]
  [ -z "$(find "$run_folder/checkpoints" -maxdepth 1 -name 'step-*-a0' -newer "$run_folder/attempts/1/claim.json")" ]
  eventually grep -q 'attempt 1 was claimed by another head' "$run_folder/logs/head.log"
  "$DDPSUBMIT" cancel "$run_id"
  is_in_state cancelled
  reconnect node1
  eventually no_process_of_run
}

# follow_run HOSTS [KEY=VALUE...]: an attached run of as many ranks that do not end by themselves.
follow_run() {
  local hosts=$1
  shorten pulse lease drain absence host_look
  shift
  command_run "$hosts" 'touch "up.$TORCHELASTIC_RESTART_COUNT.$RANK"; sleep 1000'
  "$DDPSUBMIT" cancel "$run_id"
  "$DDPSUBMIT" wait "$run_id" || true
  rm -r runs up.*
  "$DDPSUBMIT" run run.yaml "$@" >output 2>said 3>&- &
  submitter=$!
  eventually all_are_up 0 "$hosts"
  run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1)
}

# end_followed_run: nothing of it stays anywhere.
end_followed_run() {
  "$DDPSUBMIT" cancel last
  wait "$submitter" || true
  eventually no_process_of_run
}

@test "a host that was booted again: the next restart takes it back, as ddpsubmit, which follows, has started its agent" {
  follow_run 3 fault_tolerance.min_nodes=2 fault_tolerance.max_restarts=2
  kill_host node3
  eventually has_event nodes_missing
  eventually all_are_up 1 2
  boot_host node3
  eventually grep -q 'node3 is reachable again: its agent is running, and the next restart uses it' said
  kill -9 "$(pid_of_rank 1 1)"
  eventually all_are_up 2 3
  [ "$(event attempt_started '.hosts | join(" ")' | paste -sd ,)" = 'node1 node2 node3,node1 node2,node1 node2 node3' ]
  end_followed_run
}

@test "agents are stopped and head is killed: rerun starts nothing beside the ranks" {
  local agents
  command_run 2 'touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 2
  agents=("$(agent_of_rank 0 0)" "$(agent_of_rank 0 1)")
  kill -STOP "${agents[@]}"
  kill -9 "$(event head_started .pid)"
  eventually is_in_state failed
  run "$DDPSUBMIT" rerun last --detach
  echo "$output"
  [ "$status" -eq 8 ]
  [[ $output == *'processes of an earlier attempt are still running: '*' on node1, '*' on node2'* ]]
  [ "$(event submit_intent .token | wc -l)" = 1 ] # it has changed nothing
  kill -CONT "${agents[@]}" # they end their ranks
  "$DDPSUBMIT" rerun last --detach
}

@test "a run that cannot do without the host waits for it, and goes on" {
  follow_run 2 fault_tolerance.max_restarts=1
  kill_host node2
  eventually has_event restarting
  boot_host node2
  eventually all_are_up 1 2
  end_followed_run
}

@test "a head that cannot claim an attempt, as its disk has no inodes left: who started it hears why" {
  command_run 2 false
  "$DDPSUBMIT" wait "$run_id" && false
  on_host node1 mount -t tmpfs -o nr_inodes=1 full "$run_folder/attempts"
  on_host node1 sh -c 'mount -t tmpfs -o size=4k,nr_inodes=3 full "$1/logs" && head -c 4096 /dev/zero >"$1/logs/all" && : >"$1/logs/head.log"' _ "$run_folder"
  run "$DDPSUBMIT" rerun "$run_id" --detach
  on_host node1 umount "$run_folder/attempts" "$run_folder/logs"
  echo "$output"
  [ "$status" -ne 0 ]
  [[ $output == *"node1: head cannot claim an attempt: cannot create $run_folder/attempts/0: No space left on device"* ]]
  is_in_state failed
}
