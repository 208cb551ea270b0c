# A node of a run loses its network: both sides end by their leases.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() {
  isolate_user
  shorten pulse lease drain
  submit "${endless[@]}" fault_tolerance.max_restarts=0
  eventually trains
}

@test "a node loses its network: its ranks end, too, and the run is failed" {
  ip -netns node2 link set eth0 down
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(state_of_run)" = failed ]
  [[ $(event run_ended .cause.host) == node2 ]]
  eventually no_process_of_run
  ip -netns node2 link set eth0 up
}
