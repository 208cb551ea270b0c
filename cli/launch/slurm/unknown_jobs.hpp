#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launch/slurm/slurm_tools.hpp"

namespace ddp::cli {

/// For each of `lost` the ids of this user's jobs that have not left the queue, that write their logs into
/// its folder or have its token, and that are no answers to an intent which can be read. There is none only
/// if the controller has answered twice, a moment apart. The error has Slurm's words.
[[nodiscard]] Expected<std::vector<std::vector<std::string>>> find_unknown_slurm_jobs(
    std::span<const LostJob> lost, const SlurmTools& tools);

}  // namespace ddp::cli
