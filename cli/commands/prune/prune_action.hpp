#pragma once

#include "cli/commands/prune/prune_plan.hpp"

namespace ddp::cli {

struct PruneResult {
  std::vector<PruneItem> deleted;
  std::vector<KeptRun> kept;  ///< runs that were started again, or that a run needs which had to be kept
  Errors errors;              ///< of what could not be deleted, or not as a whole
};

/// Deletes what the plan names. All run folders get their other name first, so that no run can begin with one
/// that is deleted later.
[[nodiscard]] PruneResult carry_out(const PrunePlan& plan, const RunStore& store);

}  // namespace ddp::cli
