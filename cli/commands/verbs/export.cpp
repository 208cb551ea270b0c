#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "cli/commands/output_file.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/export/event_files.hpp"
#include "cli/export/export_csv.hpp"
#include "cli/export/export_json.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr Option kCsv{"--csv", "", "print a table with one row per step and kind of record"};
constexpr Option kTensorboard{
    "--tensorboard", "DIR",
    "write event files for TensorBoard to DIR/RUN_ID; of a sweep, one folder per point", WordKind::folder};
constexpr Option kExportFile{.name = "--output",
                             .value = "FILE",
                             .doc = "write CSV or JSON to FILE instead of stdout",
                             .kind = WordKind::file,
                             .short_name = "-o"};

Expected<void> check_format(const Arguments& arguments, OutputMode mode) {
  const bool json = mode == OutputMode::json;
  const bool csv = arguments.has(kCsv.name);
  const bool tensorboard = arguments.has(kTensorboard.name);
  if (std::ranges::count(std::array{json, csv, tensorboard}, true) != 1) {
    return fail(ExitCode::usage, "export needs exactly one of --csv, --json and --tensorboard DIR",
                "for example: ddpsubmit export last --csv");
  }
  if (tensorboard && arguments.has(kExportFile.name)) {
    return fail(ExitCode::usage, "-o cannot be used with --tensorboard, which takes a folder",
                "remove -o, or use --csv or --json");
  }
  return {};
}

/// A line per run.
void report_exports(const std::vector<RunExport>& exports, Reporter& reporter) {
  if (reporter.mode() == OutputMode::text)
    return reporter.answer({.schema = {}, .value = {}, .text = render_csv(exports)});
  for (const auto& run : exports)
    reporter.item({.schema = "ddpsubmit.export.v1", .value = export_json(run), .text = {}});
}

Expected<void> save_report(const std::vector<RunExport>& exports, const std::filesystem::path& path,
                           OutputMode mode) {
  if (auto checked = check_output_file(path); !checked) return checked;
  std::ostringstream text;
  const auto reporter = mode == OutputMode::json ? make_json_reporter(text, text)
                                                 : make_text_reporter(text, text, Colour::never);
  report_exports(exports, *reporter);
  reporter->flush();
  return save_file(path, text.str(), Durability::visible);
}

Error explain_no_metrics(const KnownRun& run) {
  return {ExitCode::not_found, fmt::format("run '{}' has no metrics", run.pointer.run_id),
          "a training writes them while it runs; a Python program reports them with ddpsubmit.log"};
}

Outcome save_for_tensorboard(const KnownRun& run, const std::vector<RunExport>& exports,
                             const std::filesystem::path& folder, Context& context) {
  const auto files = render_event_files(run.sweep ? run.pointer.run_id : "", exports);
  if (auto saved = save_event_files(folder, files, context.system.clock.now()); !saved)
    return refuse(saved.error());
  context.reporter.note(fmt::format("exported to {}; to show it: tensorboard --logdir {}",
                                    (folder / run.pointer.run_id).string(), folder.string()));
  return ExitCode::ok;
}

Outcome export_metrics(const Arguments& arguments, Context& context) {
  const auto mode = context.reporter.mode();
  if (auto checked = check_format(arguments, mode); !checked) return refuse(checked.error());
  const auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  const auto run = resolve_runs({*pointer}, context.seams(), Details::none).front();
  const auto exports = load_exports(run);
  if (std::ranges::all_of(exports, [](const RunExport& each) { return each.records.empty(); }))
    return refuse(explain_no_metrics(run));
  if (const auto folder = arguments.one(kTensorboard.name))
    return save_for_tensorboard(run, exports, context.current_folder / *folder, context);
  const auto file = arguments.one(kExportFile.name);
  if (!file) {
    report_exports(exports, context.reporter);
    return ExitCode::ok;
  }
  if (auto saved = save_report(exports, context.current_folder / *file, mode); !saved)
    return refuse(saved.error());
  context.reporter.note("exported to " + *file);
  return ExitCode::ok;
}

}  // namespace

Command export_command() {
  return {.name = "export",
          .summary = "Export the metrics of a run or sweep as CSV, JSON or TensorBoard files",
          .operands = {{"RUN", kRunDoc, Arity::one, WordKind::run}},
          .options = {kCsv, kTensorboard, kExportFile},
          .examples = {{"export last --csv -o metrics.csv", "a table of the newest run"},
                       {"export last --json | jq '.series[].metric'", "the names of its metrics"},
                       {"export sweep-1 --tensorboard tb", "then: tensorboard --logdir tb"}},
          .run = export_metrics};
}

}  // namespace ddp::cli
