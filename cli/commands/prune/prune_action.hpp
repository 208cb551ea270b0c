#pragma once

#include <functional>

#include "cli/commands/prune/prune_plan.hpp"
#include "cli/launch/launcher.hpp"

namespace ddp::cli {

struct PruneResult {
  std::vector<PruneItem> deleted;
  std::vector<KeptRun> kept;  ///< runs that were started again, or that a run needs which had to be kept
  Errors errors;              ///< of what could not be deleted, or not as a whole
};

/// Deletes what hosts have of the run of `folder`, which has its other name already.
using RemoveCopies = std::function<RemovedCopies(const RunPointer& run, const RunFolder& folder)>;

/// Deletes what the plan names. All run folders get their other name first, so that no run can begin with one
/// that is deleted later. A host that does not answer keeps its folder.
[[nodiscard]] PruneResult carry_out(const PrunePlan& plan, const RunStore& store,
                                    const RemoveCopies& remove_copies);

}  // namespace ddp::cli
