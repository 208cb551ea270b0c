#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cli/commands/compare/comparison_text.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/state/run_records.hpp"
#include "ddp/jobenv/terminal.hpp"

namespace ddp::cli {
namespace {

constexpr Option kSortRuns{"--sort", "KEY",
                           "one row for each run, in the order of this metric or setting, the lowest first"};
constexpr Option kReverse{"--reverse", "", "with --sort, the highest first"};

/// A sweep stands for its points. A run that is given twice is compared once.
std::vector<ComparedRun> load_compared(const std::vector<RunPointer>& pointers, Context& context) {
  const auto now = context.system.clock.now();
  std::set<std::string> seen;
  std::vector<ComparedRun> runs;
  const auto add = [&](KnownRun& run) {
    if (!seen.insert(run.pointer.run_id).second) return;
    if (auto plan = load_run_plan(RunFolder(run.pointer.run_dir))) run.plan = std::move(*plan);
    runs.push_back({run.pointer.run_id, load_run_facts(run, now)});
  };
  for (auto& known : resolve_runs(pointers, context.seams())) {
    if (!known.sweep) add(known);
    for (auto& point : known.points) add(point);
  }
  return runs;
}

Error explain_too_few(const std::vector<RunPointer>& pointers) {
  const auto& run = pointers.front();
  if (pointers.size() > 1) {
    return {ExitCode::usage,
            fmt::format("{} name run {}", pointers.size() == 2 ? "both" : "all words", run.run_id),
            "the ids of runs: ddpsubmit list --name " + run.name};
  }
  return {ExitCode::usage, fmt::format("{} is one run: give two runs or more, or a sweep", run.run_id),
          "for example: ddpsubmit compare first last"};
}

Expected<void> sort_as_wanted(std::vector<ComparedRun>& runs, const Arguments& arguments) {
  const auto key = arguments.one(kSortRuns.name);
  const auto direction = arguments.has(kReverse.name) ? SortDirection::descending : SortDirection::ascending;
  if (key) return sort_runs(runs, *key, direction);
  if (direction == SortDirection::ascending) return {};
  return fail(ExitCode::usage, "--reverse needs --sort",
              "for example: ddpsubmit compare search --sort loss --reverse");
}

Outcome compare(const Arguments& arguments, Context& context) {
  auto found = find_runs(arguments.all("RUN"), context);
  if (!found) return refuse(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
  for (const auto& run : found->pointers) {
    if (auto exists = check_exists(RunFolder(run.run_dir)); !exists) return refuse(exists.error());
  }
  auto runs = load_compared(found->pointers, context);
  if (runs.size() < 2) return refuse(explain_too_few(found->pointers));
  if (auto sorted = sort_as_wanted(runs, arguments); !sorted) return refuse(sorted.error());
  const auto comparison = compare_runs(runs);
  const auto columns = terminal_columns(STDOUT_FILENO);
  const bool is_pair = runs.size() == 2 && !arguments.has(kSortRuns.name);
  context.reporter.answer(
      {.schema = "ddpsubmit.compare.v1",
       .value = to_json(comparison),
       .text = is_pair ? render_pair(comparison, columns) : render_runs(comparison, columns)});
  const auto others = render_other_differences(comparison);
  if (!is_pair && !others.empty())
    context.reporter.note(
        fmt::format("the runs differ in {}, too; compare two of them to see the values", others));
  return ExitCode::ok;
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "Print how runs differ: settings, code, data, hosts, versions, results",
          .operands = {{"RUN", kRunDoc, Arity::at_least_one, WordKind::run}},
          .options = {kSortRuns, kReverse},
          .description =
              "Of two runs, all that differs is printed, one line for each key. Of more runs, or of a sweep "
              "with its points, one row for each run is printed, with the settings that differ and the last "
              "metrics.",
          .examples = {{"compare first last", "two runs by name or id"},
                       {"compare search/0 search/3", "two points of a sweep"},
                       {"compare search --sort accuracy --reverse",
                        "all points of a sweep, the highest accuracy first"}},
          .run = compare};
}

}  // namespace ddp::cli
