#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "cli/commands/watch/run_filter.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/run/run_json.hpp"
#include "cli/output/run/run_list.hpp"
#include "cli/store/disk_usage.hpp"
#include "cli/store/state/run_records.hpp"
#include "ddp/jobenv/terminal.hpp"

namespace ddp::cli {
namespace {

constexpr Option kSizeOption{"--size", "",
                             "add the size of each run folder; this reads the sizes of all its files"};

bool is_gone(const RunPointer& run) {
  return !check_exists(RunFolder(run.run_dir));
}

/// Why nobody knows of runs, each reason once.
std::set<std::string> reasons_of_unknown(const std::vector<KnownRun>& runs) {
  std::set<std::string> reasons;
  for (const auto& run : runs) {
    if (run.status.state == RunState::unknown && !run.status.message.empty())
      reasons.insert(run.status.message);
  }
  return reasons;
}

/// One number for each run; none if they are not wanted.
std::vector<std::uint64_t> measure(const std::vector<KnownRun>& runs, const Arguments& arguments) {
  std::vector<std::uint64_t> sizes;
  if (!arguments.has(kSizeOption.name)) return sizes;
  for (const auto& run : runs) sizes.push_back(disk_usage(run.pointer.run_dir));
  return sizes;
}

nlohmann::json list_to_json(const std::vector<KnownRun>& runs, const std::vector<std::uint64_t>& sizes,
                            std::chrono::system_clock::time_point now) {
  auto value = to_json(runs, now);
  for (std::size_t i = 0; i < sizes.size(); ++i) value["runs"][i]["size_bytes"] = sizes[i];
  return value;
}

Outcome list(const Arguments& arguments, Context& context) {
  const auto filter = parse_run_filter(arguments);
  if (!filter) return refuse(filter.error());
  const auto store = RunStore::open(context.environment);
  if (!store) return refuse(store.error());
  auto pointers = store->load_all();
  if (!pointers) return refuse(pointers.error());
  std::erase_if(*pointers, [&](const RunPointer& run) { return !filter->wants_name_of(run); });
  const auto gone = std::erase_if(*pointers, is_gone);
  const bool as_json = context.reporter.mode() == OutputMode::json;
  auto runs = resolve_runs(*pointers, context.seams(), as_json ? Details::all : Details::none);
  std::erase_if(runs, [&](const KnownRun& run) { return !filter->wants_state_of(run.status); });
  const auto sizes = measure(runs, arguments);
  const auto now = context.system.clock.now();
  context.reporter.answer({.schema = "ddpsubmit.list.v1",
                           .value = as_json ? list_to_json(runs, sizes, now) : nlohmann::json(),
                           .text = as_json || runs.empty()
                                       ? ""
                                       : render_run_list(runs, now, sizes, terminal_columns(STDOUT_FILENO))});
  if (runs.empty()) context.reporter.note(filter->render_no_match());
  for (const auto& reason : reasons_of_unknown(runs)) context.reporter.note("state unknown: " + reason);
  if (gone > 0)
    context.reporter.note(fmt::format("not shown: {} without a run folder", render_count(gone, "run")));
  return ExitCode::ok;
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "List the runs started from this machine, newest first",
          .operands = {},
          .options = {kStateOption, kNameOption, kSizeOption},
          .description =
              "LEFT is the time that the training still needs at its pace. LIMIT IN is the time until "
              "the job's time limit.",
          .examples = {{"list", "all runs"},
                       {"list --state queued,running --name mnist",
                        "queued and running runs with mnist in their name"},
                       {"list --size", "all runs, with the sizes of their run folders"},
                       {"list --json | jq '.runs[0].state'", "the state of the newest run"}},
          .run = list};
}

}  // namespace ddp::cli
