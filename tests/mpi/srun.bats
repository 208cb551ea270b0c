# MPI programs under `command` on Slurm, connected by srun.

load ../support/slurm_run
load ../support/mpi_program

setup() { isolate_user; }

# mpi_job TYPE CASE [KEY=VALUE...]: two nodes with two ranks each.
mpi_job() {
  local type=$1 case=$2
  shift 2
  submit_command "echo \"secret \$TOKEN\"; exec ./mpi_program $case" --detach "slurm.mpi=$type" "$@"
}

step_of_job() { squeue --noheader --steps --jobs="$(job_id)" --format='%i %j' | awk '$2 == "ddp-agent" {print $1}'; }

# use_open_mpi: its wheel is at another place than where it was built for.
use_open_mpi() {
  build_mpi_program "$OPEN_MPI_FOLDER"
  export OPAL_PREFIX=$OPEN_MPI_FOLDER
}

# holds_connection ATTEMPT RANK: the agent of the rank has a copy of its connection to Slurm's PMIx server: the same socket.
holds_connection() {
  local rank
  rank=$(pid_of_rank "$1" "$2")
  comm -12 <(sockets_of "$rank") <(sockets_of "$(parent_of "$(parent_of "$rank")")") | grep -q socket
}
sockets_of() { find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' | sort; }

# restarts_under TYPE: kill -9 of a rank is the cause of a new step; all exit records are there, the new step gets the
# secrets, too, and no segment is left.
restarts_under() {
  local step
  TOKEN=sesame mpi_job "$1" forever 'environment.secrets=[TOKEN]' fault_tolerance.max_restarts=1
  eventually all_are_up 0 4 2
  step=$(step_of_job)
  [ -n "$step" ]
  [ "$1" != pmix ] || eventually holds_connection 0 3
  kill -9 "$(pid_of_rank 0 3)"
  eventually all_are_up 1 4 2
  [ "$(step_of_job)" != "$step" ]
  [ "$(lines_of_attempt 1 | grep -c '^secret sesame$')" -eq 4 ]
  [ "$(event restarting '"\(.cause.rank) \(.cause.signal)"')" = '3 9' ]
  [ "$(exit_records '"\(.rank) \(.signal)"' | xargs)" = '0 9 1 9 2 9 3 9' ]
  "$DDPSUBMIT" cancel last
  [ -z "$(left_segments 0)$(left_segments 1)" ]
}

@test "pmix connects the ranks of Open MPI; a rank that is killed is the cause of a new step, and no segment is left" {
  use_open_mpi
  restarts_under pmix
}

@test "after MPI_Abort under pmix, Slurm ends the agents, and the reason says what that may mean" {
  use_open_mpi
  mpi_job pmix abort
  run "$DDPSUBMIT" wait last
  left_segments 0 | xargs -r rm # nobody was left to do it
  [ "$status" -eq 1 ]
  [[ $output == *'lost the agent on '*' (Slurm ends the agents if a rank calls MPI_Abort)'* ]]
}

@test "pmi2 connects the ranks of MPICH; a rank that is killed is the cause of a new step, and no segment is left" {
  build_mpi_program
  restarts_under pmi2
}

@test "Open MPI without pmix: each rank is alone, and the warning names the key" {
  use_open_mpi
  submit_command 'exec ./mpi_program once' --detach rendezvous.backend=mpi
  "$DDPSUBMIT" wait last
  [ "$(connected_ranks 0 | uniq)" = 'rank 0 of 1, 1 on its host, sum 0' ]
  "$DDPSUBMIT" describe last | grep -q "Open MPI needs 'slurm.mpi: pmix'"
}
