# MPI programs under `command` on ssh hosts.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run
load ../support/mpi_program
load ../support/mpi_training

setup() {
  isolate_user
  build_mpi_program
}
teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

# mpi_run CASE [KEY=VALUE...]: two hosts with two ranks each.
mpi_run() {
  local case=$1
  shift
  command_run 2 "exec ./mpi_program $case" resources.tasks_per_node=2 rendezvous.backend=mpi "$@"
}

@test "the ranks of two hosts are one job; those of a host share its memory" {
  mpi_run once
  "$DDPSUBMIT" wait "$run_id"
  are_connected 0 4 2
  [ -z "$(left_segments 0)" ]
}

@test "kill -9 of a rank: the next attempt runs in the same agents, and no segment is left" {
  mpi_run forever fault_tolerance.max_restarts=1
  eventually all_are_up 0 4 2
  agent=$(agent_of_rank 0 3)
  [ -n "$agent" ]
  kill -9 "$(pid_of_rank 0 3)"
  eventually all_are_up 1 4 2
  [ "$(agent_of_rank 1 3)" = "$agent" ]
  [ "$(event restarting .cause.rank)" = 3 ]
  "$DDPSUBMIT" cancel "$run_id"
  [ -z "$(left_segments 0)$(left_segments 1)" ]
}

@test "two MPI programs, one after the other in each rank" {
  command_run 2 './mpi_program once && ./mpi_program once' resources.tasks_per_node=2 rendezvous.backend=mpi
  "$DDPSUBMIT" wait "$run_id"
  [ "$(connected_ranks 0 | uniq -c | awk '{ print $1 }' | uniq)" = 2 ]
  diff <(connected_ranks 0 | uniq) <(printf 'rank %d of 4, 2 on its host, sum 6\n' 0 1 2 3)
}

@test "a run that is cancelled leaves no segment on any host" {
  mpi_run forever
  eventually all_are_up 0 4 2
  "$DDPSUBMIT" cancel "$run_id"
  is_in_state cancelled
  [ -n "$(segments_of 0)" ]
  [ -z "$(left_segments 0)" ]
}

@test "the traffic between the hosts takes the interface that the run names" {
  command_run 2 'echo "interface $FI_TCP_IFACE"; exec ./mpi_program once' rendezvous.backend=mpi rendezvous.interface=eth0
  "$DDPSUBMIT" wait "$run_id"
  [ "$(lines_of_attempt 0 | grep -c '^interface eth0$')" -eq 2 ]
  are_connected 0 2 1
}

# train_over_mpi [KEY=VALUE...]: two hosts with two ranks each.
train_over_mpi() { train 2 2 "${over_mpi[@]}" train.strategy=hsdp 'train.hsdp={shard: 2}' "$@"; }

@test "kill -9 of a rank of a training over MPI, sharded within its hosts: it resumes, and ends with the same bytes" {
  train_over_mpi fault_tolerance.max_restarts=1
  eventually has_checkpoint 0
  kill -9 "$(pid_of_rank 0 3)"
  "$DDPSUBMIT" wait "$run_id"
  [ "$(outcomes)" = 'failed succeeded' ]
  disturbed=$run_folder
  train_over_mpi
  "$DDPSUBMIT" wait "$run_id"
  same_end "$disturbed" "$run_folder"
}
