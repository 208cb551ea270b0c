#pragma once

#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launch/slurm/slurm_tools.hpp"

namespace ddp::cli {

/// The ids of this user's jobs that wait or run, that write their logs into the folder of `lost` or have its
/// token, and whose submissions have had no answer in the ledger of that folder. There is none only if the
/// controller has answered twice, a moment apart. The error has Slurm's words.
[[nodiscard]] Expected<std::vector<std::string>> find_unknown_slurm_jobs(const LostJob& lost,
                                                                         const SlurmTools& tools);

}  // namespace ddp::cli
