#include <unistd.h>

#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/run/description.hpp"
#include "cli/output/run/run_json.hpp"
#include "cli/store/state/run_records.hpp"
#include "ddp/jobenv/terminal.hpp"

namespace ddp::cli {
namespace {

Outcome describe(const Arguments& arguments, Context& context) {
  const auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  auto run = resolve_run(*pointer, context.seams());
  run.status.attempts = load_recorded_status(*pointer, RankEvents::load).attempts;
  fill_in_live_ranks(run);
  const RunFolder folder(pointer->run_dir);
  if (auto plan = load_run_plan(folder)) run.plan = std::move(*plan);
  std::error_code unknown;
  if (std::filesystem::exists(folder.output(), unknown)) run.output = folder.output();
  const auto now = context.system.clock.now();
  add_report(run, now);
  context.reporter.answer({.schema = "ddpsubmit.describe.v1",
                           .value = describe_json(run, now),
                           .text = render_description(run, now, terminal_columns(STDOUT_FILENO))});
  return ExitCode::ok;
}

}  // namespace

Command describe_command() {
  return {.name = "describe",
          .summary = "Print everything known about a run: folder, times, attempts, ranks, cause of a failure",
          .operands = {{"RUN", kRunDoc, Arity::one, WordKind::run}},
          .options = {},
          .examples = {{"describe last", "the newest run"}, {"describe train", "the newest run named train"}},
          .run = describe};
}

}  // namespace ddp::cli
