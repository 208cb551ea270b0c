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

/// What is rehearsed, and with what. All of it outlives the rehearsal.
struct RehearsalScene {
  const RunSpec& job;
  const RunSpec& small;  ///< the job at small scale
  const RehearsalTerms& terms;
  RehearsalRuns& runs;
  Context& context;
};

}  // namespace ddp::cli
