#pragma once

#include "cli/launchers/slurm/keys/option_names.hpp"

namespace ddp::cli {

/// What may stand under `slurm.srun_options`, for the srun that starts one `ddp-agent task` a rank: not what
/// ddp-agent sets there itself, what is about the whole job, or what would come between head and its agents.
extern const ProgramOptions srun_options;

}  // namespace ddp::cli
