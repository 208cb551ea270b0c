#include <unistd.h>

#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/run/description.hpp"
#include "cli/output/run/run_json.hpp"
#include "cli/store/source_record.hpp"
#include "cli/store/state/run_records.hpp"
#include "ddp/jobenv/terminal.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr Option kDiffOption{"--diff", "",
                             "print the recorded changes that were not committed; secrets may be among them"};

/// As it was recorded, for `git apply`; of files that git does not track only the names are known.
Outcome show_diff(const KnownRun& run, const nlohmann::json& description, Context& context) {
  if (!run.source) {
    return refuse({ExitCode::not_found,
                   "no changes were recorded of run " + run.pointer.run_id,
                   "set environment.record_diff: true, or environment.snapshot: true, before you submit",
                   {}});
  }
  std::string diff;
  if (run.source->has_diff) {
    auto text = load_file(RunFolder(run.pointer.run_dir).source_diff());
    if (!text) return refuse(text.error());
    diff = std::move(*text);
  }
  auto value = description;
  value["source"]["changed"] = run.source->changed;
  value["source"]["text"] = diff;
  context.reporter.answer({.schema = "ddpsubmit.describe.v1", .value = std::move(value), .text = diff});
  for (const auto& file : run.source->changed) context.reporter.note("changed: " + file);
  for (const auto& remark : run.source->remarks) context.reporter.note(remark);
  if (run.source->dirty == false) context.reporter.note("all was committed");
  return ExitCode::ok;
}

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
  run.source = load_source_record(folder);
  const auto now = context.system.clock.now();
  add_report(run, now);
  if (arguments.has(kDiffOption.name)) return show_diff(run, describe_json(run, now), context);
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
          .options = {kDiffOption},
          .examples = {{"describe last", "the newest run"}, {"describe train", "the newest run named train"}},
          .run = describe};
}

}  // namespace ddp::cli
