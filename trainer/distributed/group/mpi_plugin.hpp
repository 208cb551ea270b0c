#pragma once

#include "trainer/mpi/plugin.hpp"

namespace ddp::trainer {

/// libddp_mpi.so, with the MPI library, so that only runs over MPI load it.
///
/// Loads both at the first call, for good. Throws InvalidConfiguration that says what to install;
/// std::runtime_error if the plug-in is of another build.
[[nodiscard]] const MpiPlugin& mpi_plugin();

}  // namespace ddp::trainer
