#pragma once

#include <mpi_abi.h>

namespace ddp::trainer {

/// The calls of the MPI library, by the standard ABI of MPI 5: one build runs with every MPI that has it.
/// Those with a count take one of 64 bits.
struct MpiCalls {
  decltype(&MPI_Abi_get_version) abi_get_version;
  decltype(&MPI_Init_thread) init_thread;
  decltype(&MPI_Initialized) initialized;
  decltype(&MPI_Finalize) finalize;
  decltype(&MPI_Comm_rank) comm_rank;
  decltype(&MPI_Comm_size) comm_size;
  decltype(&MPI_Comm_group) comm_group;
  decltype(&MPI_Group_incl) group_incl;
  decltype(&MPI_Group_free) group_free;
  decltype(&MPI_Comm_create_group) comm_create_group;
  decltype(&MPI_Comm_free) comm_free;
  decltype(&MPI_Comm_set_errhandler) comm_set_errhandler;
  decltype(&MPI_Error_string) error_string;
  decltype(&MPI_Op_create_c) op_create;
  decltype(&MPI_Iprobe) iprobe;
  decltype(&MPI_Test) test;
  decltype(&MPI_Iallreduce_c) iallreduce;
  decltype(&MPI_Ireduce_c) ireduce;
  decltype(&MPI_Ibcast_c) ibcast;
  decltype(&MPI_Iallgather_c) iallgather;
  decltype(&MPI_Ireduce_scatter_block_c) ireduce_scatter_block;
  decltype(&MPI_Ibarrier) ibarrier;
  decltype(&MPI_Isend_c) isend;
  decltype(&MPI_Irecv_c) irecv;
};

/// Of the library that is loaded, at the first call, for good: the file that the variable
/// DDPTRAIN_MPI_LIBRARY names; else the libmpi_abi.so.1 of the loader, of the virtual environment, or of the
/// conda environment. Throws InvalidConfiguration that says what to install.
[[nodiscard]] const MpiCalls& mpi_calls();

}  // namespace ddp::trainer
