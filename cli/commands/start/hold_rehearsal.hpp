#pragma once

#include "cli/commands/start/rehearsal_scene.hpp"

namespace ddp::cli {

/// Runs a rehearsable job at small scale: undisturbed, and disturbed by a stop and a kill; then compares the
/// results. How far it is, is talk. The errors say which run ended otherwise than it should.
[[nodiscard]] tl::expected<RehearsalReport, Errors> hold_rehearsal(const RunSpec& job,
                                                                   const RehearsalTerms& terms,
                                                                   RehearsalRuns& runs, Context& context);

}  // namespace ddp::cli
