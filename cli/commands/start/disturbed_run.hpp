#pragma once

#include <string>

#include "cli/commands/start/rehearsal_runs.hpp"
#include "cli/rehearsal/disturbances.hpp"
#include "jobenv/record/plan/launcher_traits.hpp"

namespace ddp::cli {

/// A run that is to be stopped, started again in its folder, and hit by a kill.
struct DisturbedOrder {
  RunSpec spec;
  std::int64_t steps = 0;                   ///< that it does when nothing disturbs it
  int stop_signal = 0;                      ///< that its head gets
  StopReaches reaches = StopReaches::head;  ///< who gets it from the scheduler of the job
  Disturbances disturbances;
  std::string hint;  ///< how to rehearse more steps, where these are over too early
};

struct DisturbedRun {
  KnownRun run;
  StopReport stop;
  KillReport kill;
};

/// Runs it to its end. The error says what went otherwise than it should.
[[nodiscard]] tl::expected<DisturbedRun, Errors> run_disturbed(const DisturbedOrder& order,
                                                               RehearsalRuns& runs, Context& context);

/// `which` run of a rehearsal did not succeed.
[[nodiscard]] tl::unexpected<Errors> failed_rehearsal(std::string_view which, const KnownRun& run);

}  // namespace ddp::cli
