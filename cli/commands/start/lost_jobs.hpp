#pragma once

#include <vector>

#include "cli/commands/command.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// Whether a run that seems to have ended has no job in the queue that lost lines of its ledger told of. The
/// launcher is asked only where lines may be lost. ExitCode::outcome_unknown: there is one, or nobody can
/// tell. `points`: of a sweep those that are to run. Called with the submission locked.
[[nodiscard]] Expected<void> check_lost_jobs(const RunPointer& pointer, const std::vector<int>& points,
                                             const Context& context);

}  // namespace ddp::cli
