# DDP_MPI_INCLUDE, the folder of mpi_abi.h: the header of MPI's standard ABI, with which libddp_mpi.so is built. It comes from the MPI
# that scripts/mpi_venv installs, or from another one. Without it the trainer has no rendezvous.backend: mpi.
find_path(DDP_MPI_INCLUDE mpi_abi.h NO_CMAKE_FIND_ROOT_PATH
  HINTS "$ENV{XDG_CACHE_HOME}/ddpsubmit/mpich-5.0.2/include" "$ENV{HOME}/.cache/ddpsubmit/mpich-5.0.2/include"
  DOC "Folder of mpi_abi.h, the header of MPI's standard ABI")
if(NOT DDP_MPI_INCLUDE)
  message(STATUS "No mpi_abi.h: the trainer is built without rendezvous.backend: mpi (scripts/mpi_venv installs one)")
endif()
