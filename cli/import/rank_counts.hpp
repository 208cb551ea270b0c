#pragma once

#include <optional>

#include "cli/import/job_layout.hpp"
#include "cli/import/launch_line.hpp"
#include "cli/import/script_steps.hpp"

namespace ddp::cli {

/// How many ranks a script starts.
struct RankCounts {
  LaidOut<int> nodes{1};
  LaidOut<int> tasks_per_node{1};
  std::optional<LaidOut<int>> cpus_per_task = {};
};

/// Ranks are the tasks of srun, or the processes of one torchrun per node. Pure.
[[nodiscard]] RankCounts count_ranks(const JobLayout& layout, const LaunchLine& line,
                                     const LaunchCommand& launch, Errors& errors);

}  // namespace ddp::cli
