#pragma once

#include <cstdint>
#include <optional>

#include "cli/commands/start/rehearsal_runs.hpp"

namespace ddp::cli {

/// What the command line asks of a rehearsal.
struct RehearsalTerms {
  int ranks = 1;
  std::optional<std::int64_t> steps;  ///< at least kFewestSteps; nullopt: a few seconds of training
  std::uint64_t seed = 0;             ///< of the disturbances
  std::chrono::seconds mtbf{};        ///< mean time between failures of the job
  MtbfSource mtbf_source = MtbfSource::standard;
};

/// Runs a rehearsable job at small scale: for its pace, undisturbed, and disturbed by a stop and a kill; then
/// compares the results. How far it is, is talk. The errors say which run ended otherwise than it should.
[[nodiscard]] tl::expected<RehearsalReport, Errors> hold_rehearsal(const RunSpec& job,
                                                                   const RehearsalTerms& terms,
                                                                   RehearsalRuns& runs, Context& context);

}  // namespace ddp::cli
