#pragma once

#include "cli/commands/command.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// Whether a run that seems to have ended has no job that waits or runs, and that lines of its ledger which
/// are lost told of. Asks the launcher only where such lines may be lost. ExitCode::outcome_unknown: there is
/// one, or nobody can tell. Called with the submission locked.
[[nodiscard]] Expected<void> check_lost_jobs(const RunPointer& pointer, const Context& context);

}  // namespace ddp::cli
