#pragma once

#include "cli/launchers/slurm/query/slurm_tools.hpp"

namespace ddp::cli {

/// Asks Slurm whether it would ever start this run, with two questions: sinfo for the limits that the request
/// breaks, and sbatch --test-only for what only the controller knows (sbatch itself accepts jobs that can
/// never start). A queue that is full is a warning: it empties.
[[nodiscard]] Preflight check_with_slurm(const LaunchRequest& request, const SlurmTools& tools);

}  // namespace ddp::cli
