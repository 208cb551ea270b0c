#include "cli/commands/output_file.hpp"
#include "cli/commands/report/load_report.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/report/model/report_values.hpp"
#include "cli/report/page/page.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr Option kReportFile{.name = "--output",
                             .value = "FILE",
                             .doc = "write the page to FILE; without it: report-RUN_ID.html in this folder",
                             .kind = WordKind::file,
                             .short_name = "-o"};

/// With several runs, the id of the first. A point is SWEEP/K.
std::string default_name_of(const RunPointer& run) {
  auto id = run.run_id;
  for (char& each : id)
    if (each == '/') each = '-';
  return "report-" + id + ".html";
}

Outcome report_to_file(const ReportModel& model, const std::filesystem::path& file, Context& context) {
  if (auto checked = check_output_file(file); !checked) return refuse(checked.error());
  const auto page = render_page(model);
  if (auto saved = save_file(file, page, Durability::visible); !saved) return refuse(saved.error());
  context.reporter.answer({.schema = "ddpsubmit.report.v1", .value = {}, .text = file.string() + '\n'});
  return ExitCode::ok;
}

Outcome report(const Arguments& arguments, Context& context) {
  auto found = find_runs(arguments.all("RUN"), context);
  if (!found) return refuse(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
  for (const auto& run : found->pointers) {
    if (auto exists = check_exists(RunFolder(run.run_dir)); !exists) return refuse(exists.error());
  }
  const auto file = arguments.one(kReportFile.name);
  const bool json = context.reporter.mode() == OutputMode::json;
  if (json && file) {
    return refuse({ExitCode::usage, "-o cannot be used with --json, which prints the data of the page",
                   "remove one of them"});
  }
  const auto model = load_report(found->pointers, context.seams());
  if (!json)
    return report_to_file(
        model, context.current_folder / file.value_or(default_name_of(found->pointers.front())), context);
  context.reporter.answer({.schema = "ddpsubmit.report.v1", .value = to_json(model), .text = {}});
  return ExitCode::ok;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary = "Write a page about runs: curves, step times, attempts and failures, settings",
      .operands = {{"RUN", kRunDoc, Arity::at_least_one, WordKind::run}},
      .options = {kReportFile},
      .description =
          "The page is one HTML file that loads nothing, so it can be sent and opens without a network. "
          "Several runs, or the points of a sweep, are shown side by side. A run may still be running. An "
          "existing file is replaced.",
      .examples = {{"report last", "the newest run"},
                   {"report first second -o compared.html", "curves of two runs over each other"},
                   {"report search", "a sweep: all points, and the settings that differ"}},
      .run = report};
}

}  // namespace ddp::cli
