#pragma once

#include "cli/import/script_steps.hpp"

namespace ddp::cli {

/// Whether a line loads an MPI library: "module load openmpi", "ml intel/2023 impi", "spack load mpich".
/// Pure.
[[nodiscard]] bool loads_mpi(const ScriptStep& step);

}  // namespace ddp::cli
