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

# holds_connections ATTEMPT: the agent of each rank has a copy of its connection to Slurm's PMIx server: the same socket.
holds_connections() {
  local rank pid
  for rank in 0 1 2 3; do
    pid=$(pid_of_rank "$1" "$rank")
    comm -12 <(sockets_of "$pid") <(sockets_of "$(parent_of "$(parent_of "$pid")")") | grep -q socket || return
  done
}
sockets_of() { find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' | sort; }

# Open MPI's wheel sometimes dies in MPI_Init: an attempt that is up may be any. next_up FROM: sets up to the first one that is,
# from this attempt on.
next_up() { eventually find_up "$1"; }
find_up() {
  for ((up = $1; up < 9; ++up)); do
    all_are_up "$up" 4 2 && return
  done
  return 1
}
of_attempt() { event "$2" "select(.attempt == $1) | $3"; }

# restarts_under TYPE: kill -9 of a rank is the cause of a new step; all exit records are there, the new step gets the
# secrets, too, and no segment is left.
restarts_under() {
  local step first
  TOKEN=sesame mpi_job "$1" forever 'environment.secrets=[TOKEN]' fault_tolerance.max_restarts=8
  next_up 0
  first=$up
  step=$(step_of_job)
  [ -n "$step" ]
  [ "$1" != pmix ] || eventually holds_connections "$first"
  kill -9 "$(pid_of_rank "$first" 3)"
  next_up $((first + 1))
  [ "$(step_of_job)" != "$step" ]
  [ "$(lines_of_attempt "$up" | grep -c '^secret sesame$')" -eq 4 ]
  [ "$(of_attempt "$first" restarting '"\(.cause.rank) \(.cause.signal)"')" = '3 9' ]
  [ "$(jq -r '"\(.rank) \(.signal)"' "$run_folder/exit/attempt-$first"/rank-*.json | xargs)" = '0 9 1 9 2 9 3 9' ]
  "$DDPSUBMIT" cancel last
  [ -z "$(left_segments "$first")$(left_segments "$up")" ]
}

@test "pmix connects the ranks of Open MPI; a rank that is killed is the cause of a new step, and no segment is left" {
  use_open_mpi
  restarts_under pmix
}

@test "after MPI_Abort under pmix, Slurm ends the agents, and the reason says what that may mean" {
  use_open_mpi
  mpi_job pmix abort fault_tolerance.max_restarts=4 # an agent may be quick enough to report, but not in each attempt
  run "$DDPSUBMIT" wait last
  for attempt in 0 1 2 3 4; do left_segments "$attempt"; done | xargs -r rm # nobody was left to do it
  [ "$status" -eq 1 ]
  event attempt_ended .message | grep 'lost the agent on .* (Slurm ends the agents if a rank calls MPI_Abort)'
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
