#include "cli/commands/start/undisturbed_run.hpp"

#include "cli/commands/start/disturbed_run.hpp"

namespace ddp::cli {

tl::expected<KnownRun, Errors> run_undisturbed(RunSpec spec, RehearsalRuns& runs) {
  spec.fault_tolerance.max_restarts = 0;  // a failure without a disturbance ends the rehearsal
  spec.name += "-undisturbed";
  auto ended = runs.run(std::move(spec), std::nullopt);
  if (!ended) return tl::unexpected(ended.error());
  if (ended->run.status.state != RunState::succeeded) return failed_rehearsal("undisturbed", ended->run);
  return std::move(ended->run);
}

}  // namespace ddp::cli
