#pragma once

#include "cli/launchers/slurm/keys/option_names.hpp"

namespace ddp::cli {

/// What sbatch and srun have with the plug-in pyxis, which starts containers.
extern const ProgramOptions pyxis_options;

}  // namespace ddp::cli
