#pragma once

#include "cli/commands/start/rehearsal_runs.hpp"

namespace ddp::cli {

/// Runs `spec`, without a restart, to compare other runs with it. If it does not succeed, the error says why.
[[nodiscard]] tl::expected<KnownRun, Errors> run_undisturbed(RunSpec spec, RehearsalRuns& runs);

}  // namespace ddp::cli
