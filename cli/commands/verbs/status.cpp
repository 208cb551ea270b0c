#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

/// Of one run alone it is told what to do next, which depends on its checkpoint.
Details details_for(const std::vector<RunPointer>& runs, OutputMode mode) {
  if (mode == OutputMode::json) return Details::all;
  const bool alone = runs.size() == 1 && !load_sweep_record(RunFolder(runs.front().run_dir));
  return alone ? Details::all : Details::progress;
}

Outcome status(const Arguments& arguments, Context& context) {
  auto selectors = arguments.all("RUN");
  if (selectors.empty()) selectors.emplace_back("last");
  auto found = find_runs(selectors, context);
  if (!found) return refuse(found.error());
  const auto details = details_for(found->pointers, context.reporter.mode());
  const auto runs = resolve_runs(found->pointers, context.seams(), details);
  return report_runs("ddpsubmit.status.v1", runs, std::move(found->errors), context);
}

}  // namespace

Command status_command() {
  return {.name = "status",
          .summary = "Print the state of runs, and the reason",
          .operands = {{"RUN", kRunDoc, Arity::any, WordKind::run}},
          .options = {},
          .examples = {{"status", "the newest run"}, {"status last --json", "for scripts"}},
          .run = status};
}

}  // namespace ddp::cli
