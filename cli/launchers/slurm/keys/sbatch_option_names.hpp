#pragma once

#include "cli/launchers/slurm/keys/option_names.hpp"

namespace ddp::cli {

/// What may stand under `slurm.options`: not what has a key of its own, or what ddpsubmit relies on.
extern const ProgramOptions sbatch_options;

}  // namespace ddp::cli
