# What dies or is cut off starts again, in the same run, and ends as if nothing had been.
# shellcheck disable=SC2016,SC2154,SC2034 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets and uses the names

load ../support/ssh_run
load ../support/second_try

setup() { isolate_user; }
teardown() {
  local host
  for host in node{1..4}; do reconnect "$host"; done
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

@test "eight ranks on four hosts end with the bytes of eight ranks on this machine" {
  training=(train.epochs=null train.max_steps=60 train.data.batch_size=16)
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
  train 2 2
  eventually has_checkpoint 0
  cut_off node2
  sleep 5
  reconnect node2
  "$DDPSUBMIT" wait "$run_id"
  [[ $(outcomes) == succeeded || $(outcomes) == 'failed succeeded' ]]
  eventually no_process_of_run
}

no_trainer_on() { ! processes_on "$1" | grep -q ddptrain; }

@test "a host that is cut off for longer than the lease: its ranks are gone, then all starts again" {
  shorten pulse lease drain
  train 2 2
  eventually has_checkpoint 0
  cut_off node2
  eventually has_event restarting
  [[ $(event restarting .message) == 'lost the agent on node2: nothing heard for '"$(lease_seconds)"' s'* ]]
  eventually no_trainer_on node2
  reconnect node2
  "$DDPSUBMIT" wait "$run_id"
  [ "$(outcomes)" = 'failed succeeded' ]
  cmp "$(final_parameters "$run_folder")" "$(train_locally 4)"
  no_process_of_run
}

agent_is_back() { grep -q 'connected to head again' "$run_folder/logs/node-$1.log"; }

@test "a host that stays away: the run goes on with the rest, and takes it back at the next restart" {
  shorten pulse lease drain absence
  train 3 2 fault_tolerance.min_nodes=2 train.data.batch_size=null train.data.global_batch_size=96 \
    "train.program=$STAND_IN" train.max_steps=1000000
  eventually has_checkpoint 0
  cut_off node3
  eventually has_event nodes_missing
  [ "$(event nodes_missing .message)" = 'node3 unreachable; continuing on 2 of 3 hosts with the same global batch size' ]
  eventually has_checkpoint 1
  reconnect node3
  eventually agent_is_back 2
  kill -9 "$(pid_of_rank 1 1)"
  eventually has_checkpoint 2
  [ "$(event attempt_started '.hosts | length' | paste -sd ' ')" = '3 2 3' ]
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(outcomes)" = 'failed failed cancelled' ]
  eventually no_process_of_run
}
