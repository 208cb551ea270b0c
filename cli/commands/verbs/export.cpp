#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>
#include <set>

#include "cli/commands/output_file.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/export/event_files.hpp"
#include "cli/export/export_csv.hpp"
#include "cli/export/export_json.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/system/signal_watch.hpp"
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

/// Of JSON a line per run.
void write_exports(const std::vector<RunExport>& exports, OutputMode mode, const PrintText& print) {
  if (mode == OutputMode::text) return write_csv(exports, print);
  for (const auto& run : exports) write_json(run, print);
}

/// A run, or a sweep with its points, that the command line names.
struct NamedExport {
  std::string run_id;
  bool is_sweep = false;
  std::vector<RunExport> exports;

  [[nodiscard]] bool has_metrics() const {
    return std::ranges::any_of(exports, [](const RunExport& each) { return !each.records.empty(); });
  }
};

/// What is given twice, as a sweep and as one of its points, is exported once.
std::vector<NamedExport> load_named(const std::vector<RunPointer>& pointers, Context& context) {
  std::set<std::string> seen;
  std::vector<NamedExport> named;
  for (const auto& run : resolve_runs(pointers, context.seams(), Details::none)) {
    auto exports = load_exports(run);
    std::erase_if(exports, [&](const RunExport& each) { return !seen.insert(each.run_id).second; });
    if (!exports.empty()) named.push_back({run.pointer.run_id, run.sweep.has_value(), std::move(exports)});
  }
  return named;
}

std::vector<RunExport> all_exports(std::vector<NamedExport> named) {
  std::vector<RunExport> all;
  for (auto& each : named) std::ranges::move(each.exports, std::back_inserter(all));
  return all;
}

Error explain_no_metrics(const std::vector<NamedExport>& named) {
  const auto what = named.size() == 1 ? fmt::format("run '{}' has no metrics", named.front().run_id)
                                      : "none of the runs has metrics";
  return {ExitCode::not_found, what,
          "a training writes them while it runs; a Python program reports them with ddpsubmit.log"};
}

/// Says which runs are missing in the export; an error where all are.
Expected<void> check_metrics(const std::vector<NamedExport>& named, Reporter& reporter) {
  if (std::ranges::none_of(named, &NamedExport::has_metrics))
    return tl::unexpected(explain_no_metrics(named));
  for (const auto& each : named)
    if (!each.has_metrics()) reporter.note(fmt::format("note: run '{}' has no metrics", each.run_id));
  return {};
}

Outcome save_for_tensorboard(const std::vector<NamedExport>& named, const std::filesystem::path& folder,
                             Context& context) {
  for (const auto& each : named) {
    if (!each.has_metrics()) continue;
    const auto files = render_event_files(each.is_sweep ? each.run_id : "", each.exports);
    if (auto saved = save_event_files(folder, files, context.system.clock.now()); !saved)
      return refuse(saved.error());
  }
  const auto place = named.size() == 1 ? folder / named.front().run_id : folder;
  context.reporter.note(
      fmt::format("exported to {}; to show it: tensorboard --logdir {}", place.string(), folder.string()));
  return ExitCode::ok;
}

Outcome export_metrics(const Arguments& arguments, Context& context) {
  const auto mode = context.reporter.mode();
  if (auto checked = check_format(arguments, mode); !checked) return refuse(checked.error());
  auto found = find_runs(arguments.all("RUN"), context);
  if (!found) return refuse(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
  auto named = load_named(found->pointers, context);
  if (auto checked = check_metrics(named, context.reporter); !checked) return refuse(checked.error());
  if (const auto folder = arguments.one(kTensorboard.name))
    return save_for_tensorboard(named, context.current_folder / *folder, context);
  const auto exports = all_exports(std::move(named));
  const auto file = arguments.one(kExportFile.name);
  if (!file) {
    write_exports(exports, mode, [&context](std::string_view text) { context.reporter.print(text); });
    return ExitCode::ok;
  }
  const auto path = context.current_folder / *file;
  if (auto checked = check_output_file(path); !checked) return refuse(checked.error());
  SignalWatch signals;
  const auto write = [&](const PrintText& print) -> Expected<void> {
    write_exports(exports, mode, [&](std::string_view text) {
      if (!SignalWatch::is_pending()) print(text);
    });
    const auto signal = signals.take();
    if (!signal) return {};
    return fail(*signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated,
                "interrupted; no file was written");
  };
  if (auto saved = save_file(path, write, Durability::visible); !saved) return refuse(saved.error());
  context.reporter.note("exported to " + *file);
  return ExitCode::ok;
}

}  // namespace

Command export_command() {
  return {.name = "export",
          .summary = "Export the metrics of runs or sweeps as CSV, JSON or TensorBoard files",
          .operands = {{"RUN", kRunDoc, Arity::at_least_one, WordKind::run}},
          .options = {kCsv, kTensorboard, kExportFile},
          .examples = {{"export last --csv -o metrics.csv", "a table of the newest run"},
                       {"export first second --csv", "two runs in one table; its first column is the run id"},
                       {"export last --json | jq '.series[].metric'", "the names of its metrics"},
                       {"export sweep-1 --tensorboard tb", "then: tensorboard --logdir tb"}},
          .run = export_metrics};
}

}  // namespace ddp::cli
