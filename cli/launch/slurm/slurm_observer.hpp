#pragma once

#include "cli/launch/slurm/slurm_tools.hpp"

namespace ddp::cli {

/// What Slurm says of runs whose ledgers have no end: one question to squeue for all of them, and one to
/// scontrol for each that squeue does not show.
[[nodiscard]] std::vector<Observation> observe_jobs(std::span<const RunStatus> runs, const SlurmTools& tools);

}  // namespace ddp::cli
