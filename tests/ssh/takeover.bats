# Head's host is gone: nothing of the run stays, and the next attempt takes over from the one that is out of reach.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run

setup() { isolate_user; }
teardown() {
  [[ -n $(processes_on node1) ]] || boot_host node1
  reconnect node1
  reconnect node2
  "$DDPSUBMIT" cancel last &>/dev/null || true
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

# Of a run that may do with one host less, and whose head's host is gone.
lose_heads_host() {
  train 3 2 fault_tolerance.min_nodes=2 train.data.batch_size=null train.data.global_batch_size=96 train.checkpoint.every_steps=20 \
    ssh.connect_timeout=2s
  eventually has_checkpoint 0
  kill_host node1
  is_in_state unknown
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
  train 2 1 fault_tolerance.min_nodes=1 train.data.batch_size=null train.data.global_batch_size=64 \
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
