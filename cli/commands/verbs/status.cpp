#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"

namespace ddp::cli {
namespace {

Outcome status(const Arguments& arguments, Context& context) {
  auto selectors = arguments.all("RUN");
  if (selectors.empty()) selectors.emplace_back("last");
  auto found = find_runs(selectors, context);
  if (!found) return refuse(found.error());
  // Of one run alone it is told what to do next, which depends on its checkpoint.
  const bool all = context.reporter.mode() == OutputMode::json || found->pointers.size() == 1;
  const auto runs = resolve_runs(found->pointers, context.seams(), all ? Details::all : Details::progress);
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
