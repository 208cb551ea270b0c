# What dies or is cut off starts again, in the same run, and ends as if nothing had been.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run

setup() { isolate_user; }
teardown() {
  local host
  for host in node{1..4}; do reconnect "$host"; done
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

@test "eight ranks on four hosts end with the bytes of eight ranks on this machine" {
  train 4 2
  "$DDPSUBMIT" wait "$run_id"
  cmp "$(final_parameters "$run_folder")" "$(train_locally 8)"
  [ "$(exit_records .host | sort | uniq -c | xargs)" = '2 node1 2 node2 2 node3 2 node4' ]
  no_process_of_run
}

@test "an agent that is killed is there again; its host is named" {
  train 2 2
  eventually has_checkpoint 0
  kill -9 "$(agent_of_rank 0 3)"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(outcomes)" = 'failed succeeded' ]
  [[ $(event restarting .message) == 'lost the agent on node2: '* ]]
  cmp "$(final_parameters "$run_folder")" "$(train_locally 4)"
  no_process_of_run
}

@test "a host that is cut off for five seconds: the run goes on, or starts again once" {
  train 2 2 train.epochs=6
  eventually has_checkpoint 0
  cut_off node2
  sleep 5
  reconnect node2
  "$DDPSUBMIT" wait "$run_id"
  [[ $(outcomes) == succeeded || $(outcomes) == 'failed succeeded' ]]
  eventually no_process_of_run
}

@test "a host that is cut off for a minute: its ranks are gone after the lease, then all starts again" {
  train 2 2
  eventually has_checkpoint 0
  cut_off node2
  eventually has_event restarting
  [[ $(event restarting .message) == 'lost the agent on node2: no word for 30 s'* ]]
  sleep 5
  [ "$(processes_on node2 | grep -c ddptrain)" -eq 0 ]
  sleep 20
  reconnect node2
  "$DDPSUBMIT" wait "$run_id"
  [ "$(outcomes)" = 'failed succeeded' ]
  cmp "$(final_parameters "$run_folder")" "$(train_locally 4)"
  no_process_of_run
}

ranks_end() { ! processes_on "$1" | grep -q 'sleep 1000'; }
processes_end() { ! processes_on "$1" | grep -qv sshd; }

@test "head's host is gone: the ranks stop by themselves, and nobody calls the run failed" {
  command_run 2 'touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 2
  kill_host node1
  is_in_state unknown
  eventually ranks_end node2
  # Its agent looks for head until 90 s after the last word.
  eventually processes_end node2 || eventually processes_end node2
  is_in_state unknown
  boot_host node1
  is_in_state failed
}

agent_is_back() { grep -q 'head is there again' "$run_folder/logs/node-$1.log"; }

# Of a run that may do with one host less, and whose head's host is gone.
lose_heads_host() {
  train 3 2 fault_tolerance.min_nodes=2 train.data.batch_size=null train.data.global_batch_size=96 train.epochs=null train.max_steps=1500 \
    train.checkpoint.every_steps=20 ssh.connect_timeout=2s
  eventually has_checkpoint 0
  kill_host node1
  is_in_state unknown
}

@test "a host that stays away: the run goes on with the rest, and takes it back at the next restart" {
  train 3 2 fault_tolerance.min_nodes=2 train.data.batch_size=null train.data.global_batch_size=96 train.epochs=null train.max_steps=2500
  eventually has_checkpoint 0
  cut_off node3
  eventually has_event nodes_missing
  [ "$(event nodes_missing .message)" = 'node3 stays away: going on with 2 of 3 hosts, and the same batch of a step' ]
  eventually has_checkpoint 1
  reconnect node3
  eventually agent_is_back 2
  kill -9 "$(pid_of_rank 1 1)"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event attempt_started '.hosts | length' | paste -sd ' ')" = '3 2 3' ]
  [ "$(outcomes)" = 'failed failed succeeded' ]
  eventually no_process_of_run
}

@test "head's host is gone: rerun starts the next attempt on the others, and the old one commits nothing more" {
  lose_heads_host
  "$DDPSUBMIT" rerun "$run_id" --detach 2>rerun_said
  grep -q 'node1.*the run begins without it' rerun_said
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event head_started '"\(.attempt) \(.host)"' | paste -sd ,)" = '0 node1,1 node2' ]
  [ "$(event attempt_started 'select(.attempt == 1) | .hosts | join(" ")')" = 'node2 node3' ]
  [ "$(state_of_run)" = succeeded ]
}

@test "who is cut off and overtaken commits no further checkpoint, and stops" {
  cut_off node2
  train 2 1 fault_tolerance.min_nodes=1 train.data.batch_size=null train.data.global_batch_size=64 train.epochs=null \
    train.max_steps=1000000 ssh.connect_timeout=2s
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
  [ -z "$(find "$run_folder/checkpoints" -maxdepth 1 -name 'step-*-a0' -newer "$run_folder/attempts/1/claim.json")" ]
  eventually grep -q 'attempt 1 was claimed by another head' "$run_folder/logs/head.log"
  "$DDPSUBMIT" cancel "$run_id"
  is_in_state cancelled
  reconnect node1
  eventually no_process_of_run
}
