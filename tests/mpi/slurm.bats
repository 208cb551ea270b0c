# MPI programs under `command` on Slurm, connected by ddp-agent.

load ../support/slurm_run
load ../support/mpi_program
load ../support/mpi_training

setup() {
  isolate_user
  build_mpi_program
}

# mpi_job CASE [KEY=VALUE...]: two nodes with two ranks each.
mpi_job() {
  local case=$1
  shift
  submit_command "exec ./mpi_program $case" --detach rendezvous.backend=mpi "$@"
}

steps_of_job() { squeue --noheader --steps --jobs="$(job_id)" --format='%i %j' | awk '$2 == "ddp-agent" {print $1}'; }

@test "the ranks of two nodes are one job; those of a node share its memory" {
  mpi_job once
  "$DDPSUBMIT" wait last
  are_connected 0 4 2
  [ -z "$(left_segments 0)" ]
}

@test "kill -9 of a rank: the next attempt runs in the same step, and no segment is left" {
  mpi_job forever fault_tolerance.max_restarts=1
  eventually all_are_up 0 4 2
  step=$(steps_of_job)
  [ -n "$step" ]
  kill -9 "$(pid_of_rank 0 3)"
  eventually all_are_up 1 4 2
  [ "$(steps_of_job)" = "$step" ]
  [ "$(event restarting .cause.rank)" = 3 ]
  "$DDPSUBMIT" cancel last
  [ -z "$(left_segments 0)$(left_segments 1)" ]
}

@test "a job that is cancelled leaves no segment on any node" {
  mpi_job forever
  eventually all_are_up 0 4 2
  "$DDPSUBMIT" cancel last
  [ "$(state_of_run)" = cancelled ]
  [ -n "$(segments_of 0)" ]
  [ -z "$(left_segments 0)" ]
}

@test "without the key the ranks of two agents are told to be alone" {
  mpi_job once rendezvous.backend=auto
  "$DDPSUBMIT" wait last 2>said
  [ "$(connected_ranks 0 | uniq)" = 'rank 0 of 1, 1 on its host, sum 0' ]
  "$DDPSUBMIT" describe last | grep -q "set 'rendezvous.backend: mpi'"
}

# train_over_mpi [KEY=VALUE...]: two nodes with two ranks each.
train_over_mpi() {
  submit "${over_mpi[@]}" train.epochs=null train.max_steps=300 train.data.batch_size=16 train.checkpoint.every_steps=20 \
    train.checkpoint.keep=100 --detach "$@"
}

@test "kill -9 of a rank of a training over MPI: it resumes, and ends with the same bytes" {
  train_over_mpi fault_tolerance.max_restarts=1
  eventually has_checkpoint 0
  kill -9 "$(pid_of_rank 0 3)"
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'failed succeeded' ]
  disturbed=$run_folder
  train_over_mpi
  "$DDPSUBMIT" wait last
  same_end "$disturbed" "$run_folder"
}
