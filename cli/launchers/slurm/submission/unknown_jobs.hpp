#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/slurm/query/slurm_tools.hpp"

namespace ddp::cli {

/// For each of `lost` the ids of this user's jobs that have not left the queue, that log into its folder or
/// have its token, and whose submission cannot be read in its ledger. The controller is asked a second time,
/// a moment later, before a folder is said to have none. The error has Slurm's words.
[[nodiscard]] Expected<std::vector<std::vector<std::string>>> find_unknown_slurm_jobs(
    std::span<const LostJob> lost, const SlurmTools& tools);

}  // namespace ddp::cli
