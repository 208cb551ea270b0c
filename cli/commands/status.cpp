#include "cli/commands/find_run.hpp"
#include "cli/launch/resolve_status.hpp"
#include "cli/output/run_json.hpp"
#include "cli/output/run_text.hpp"

namespace ddp::cli {
namespace {

Outcome status(const Arguments& arguments, Context& context) {
  auto selectors = arguments.all("RUN");
  if (selectors.empty()) selectors.emplace_back("last");
  const auto pointers = find_runs(selectors, context);
  if (!pointers) return refuse(pointers.error());
  const auto runs = resolve_runs(*pointers, context.seams());
  context.reporter.answer({.schema = "ddpsubmit.status.v1",
                           .value = to_json(runs),
                           .text = render_run_states(runs, context.system.clock.now())});
  return ExitCode::ok;
}

}  // namespace

Command status_command() {
  return {.name = "status",
          .summary = "Say in which state runs are, and why",
          .operands = {{"RUN", kRunDoc, Arity::any}},
          .options = {},
          .examples = {{"status", "of the newest run"}, {"status last --json", "for scripts"}},
          .run = status};
}

}  // namespace ddp::cli
