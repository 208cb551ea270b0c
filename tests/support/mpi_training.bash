# Trainings over MPI. Their ranks and hosts are the same each time, and so are their bytes then.

# shellcheck disable=SC2034 # for the tests
over_mpi=(rendezvous.backend=mpi "environment.set.DDPTRAIN_MPI_LIBRARY=$MPI_FOLDER/lib/libmpi_abi.so.1")

final_checkpoint() { echo "$1/checkpoints/$(<"$1/checkpoints/LATEST")"; }

# same_end RUN_FOLDER RUN_FOLDER: do both runs end with the same bytes, sharded or not?
same_end() {
  local first second file
  first=$(final_checkpoint "$1")
  second=$(final_checkpoint "$2")
  [[ $(cd "$first" && echo ./*.safetensors) == $(cd "$second" && echo ./*.safetensors) ]] || return
  for file in "$first"/*.safetensors; do
    cmp "$file" "$second/${file##*/}" || return
  done
}

# files_in_memory: what the living ranks have mapped in /dev/shm.
files_in_memory() {
  local pid
  for pid in $(event rank_started .pid); do
    sed -n 's#.* \(/dev/shm/[^ ]*\)$#\1#p' "/proc/$pid/maps" 2>/dev/null || true
  done | sort -u
}

# are_gone FILE...
are_gone() {
  local file
  for file in "$@"; do [[ ! -e $file ]] || return; done
}
