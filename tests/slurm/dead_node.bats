# A node dies with all that runs on it, and nobody tells Slurm.
# shellcheck disable=SC2154 # run_folder is set by submit

load ../support/slurm_lost_node
load ../support/second_try

loses_node_unnoticed() {
  shorten pulse lease drain
  submit_requeued "$@"
  eventually trains
  lost=node2
  kill_node "$lost"
  eventually has_failed
}
restarts() { [[ -n $(event restarting .) ]]; }
has_failed() { event attempt_ended .message | grep 'lost the agent on node2'; }

goes_on_without_node2() {
  fast_links
  "$DDPSUBMIT" wait last
  [[ $(outcomes) == failed*succeeded ]]
  [ "$(event attempt_started .hosts[1] | tail -n1)" = node3 ]
  has_undisturbed_bytes
}

@test "a node dies with all that runs on it: the run waits until Slurm has noticed, and goes on without it" {
  loses_node_unnoticed fault_tolerance.max_restarts=0
  goes_on_without_node2
}

@test "the same when head tries to restart on the nodes that it has" {
  loses_node_unnoticed fault_tolerance.max_restarts=3
  eventually restarts
  call_node_down node2
  goes_on_without_node2
}
