#pragma once

#include "trainer/mpi/mpi_calls.hpp"

namespace ddp::trainer {

/// Throws c10::DistBackendError with MPI's words unless `code` is MPI_SUCCESS: when it was called rightly,
/// MPI fails because a peer or the way to it is gone. `call` is its name.
void require_success(int code, const char* call);

}  // namespace ddp::trainer
