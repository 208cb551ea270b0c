# The program of tests/mpi, and what its ranks say.
# shellcheck disable=SC2154 # run_records.bash sets run_folder

# build_mpi_program [FOLDER]: mpi_program, here, with the MPI in FOLDER.
build_mpi_program() {
  local mpi=${1:-$MPI_FOLDER}
  "$mpi/bin/mpicc" -O1 -o mpi_program "$SOURCE_DIR/tests/mpi/mpi_program.c" "-Wl,-rpath,$mpi/lib"
}

lines_of_attempt() { cat "$run_folder/logs/attempt-$1"/rank-*.out; }

# connected_ranks ATTEMPT: each rank's own words, sorted.
connected_ranks() { lines_of_attempt "$1" | grep '^rank .* of ' | sort; }

# are_connected ATTEMPT COUNT ON_HOST: all ranks are in one job.
are_connected() {
  local rank
  diff <(connected_ranks "$1") <(for ((rank = 0; rank < $2; ++rank)); do
    echo "rank $rank of $2, $3 on its host, sum $(($2 * ($2 - 1) / 2))"
  done)
}
all_are_up() { are_connected "$@" &>/dev/null; }

# segments_of ATTEMPT: the files in /dev/shm that its ranks had mapped.
segments_of() { lines_of_attempt "$1" | sed -n 's/^segment //p' | sort -u; }

# left_segments ATTEMPT: those that are still there.
left_segments() {
  local segment
  segments_of "$1" | while read -r segment; do
    [[ ! -e $segment ]] || echo "$segment"
  done
}
