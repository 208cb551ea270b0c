#include "cli/commands/find_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/run_json.hpp"
#include "cli/output/run_text.hpp"
#include "cli/store/sweep_state.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/ledger.hpp"
#include "jobenv/record/sweep_ledger.hpp"

namespace ddp::cli {

namespace {

bool is_number(std::string_view text) {
  return parse_whole_number(text).has_value();
}

/// The point of a sweep that the text behind the last slash, or behind the last underscore of a job id,
/// names.
Expected<RunPointer> select_point(const RunPointer& sweep, const std::string& number) {
  const auto record = load_sweep_record(RunFolder(sweep.run_dir));
  if (!record) return fail(ExitCode::not_found, "run " + sweep.run_id + " is no sweep: it has no points");
  const auto point = parse_whole_number(number);
  if (point && *point < std::ssize(record->points)) return point_pointer(sweep, static_cast<int>(*point));
  return fail(ExitCode::not_found, "sweep " + sweep.run_id + " has no point " + number,
              fmt::format("its points are 0 to {}", record->points.size() - 1));
}

/// The point, or for an array alone the sweep, that Slurm runs under this id.
std::optional<RunPointer> find_task(const std::vector<RunPointer>& runs, const std::string& job_id) {
  const auto array = job_id.substr(0, job_id.find('_'));
  for (const auto& run : runs) {
    const RunFolder folder(run.run_dir);
    const auto record = load_sweep_record(folder);
    const auto ledger = record ? load_ledger(folder) : Expected<std::vector<LedgerEvent>>{};
    if (!record || !ledger) continue;
    const auto is_array = [&array](const LedgerEvent& event) {
      return event.event == "submitted" && event.fields.value("job_id", nlohmann::json()) == array;
    };
    if (std::ranges::none_of(*ledger, is_array)) continue;
    if (array == job_id) return run;
    for (int point = 0; point < std::ssize(record->points); ++point) {
      const auto events = select_point_events(*ledger, point, {});
      const auto is_task = [&job_id](const LedgerEvent& event) {
        return event.fields.value("job_id", nlohmann::json()) == job_id;
      };
      if (std::ranges::any_of(events, is_task)) return point_pointer(run, point);
    }
  }
  return std::nullopt;
}

bool is_job_id(const std::string& selector) {
  const auto underscore = selector.find('_');
  return is_number(selector.substr(0, underscore)) &&
         (underscore == selector.npos || is_number(selector.substr(underscore + 1)));
}

Expected<RunPointer> select(const std::vector<RunPointer>& runs, const std::string& selector) {
  if (const auto slash = selector.rfind('/'); slash != selector.npos) {
    return select_run(runs, selector.substr(0, slash)).and_then([&](const RunPointer& sweep) {
      return select_point(sweep, selector.substr(slash + 1));
    });
  }
  auto run = select_run(runs, selector);
  if (run || !is_job_id(selector)) return run;
  auto task = find_task(runs, selector);
  return task ? Expected<RunPointer>(std::move(*task)) : run;
}

}  // namespace

Expected<RunPointer> find_run(const std::string& selector, const Context& context) {
  auto found = find_runs({selector}, context);
  if (!found) return tl::unexpected(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors.front()));
  return std::move(found->pointers.front());
}

Expected<FoundRuns> find_runs(const std::vector<std::string>& selectors, const Context& context) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  const auto all = store->load_all();
  if (!all) return tl::unexpected(all.error());
  FoundRuns found;
  for (const auto& selector : selectors) {
    if (auto run = select(*all, selector)) {
      found.pointers.push_back(std::move(*run));
    } else {
      found.errors.push_back(run.error());
    }
  }
  return found;
}

Outcome report_runs(std::string_view schema, const std::vector<KnownRun>& runs, Errors errors,
                    Context& context) {
  if (runs.empty() && !errors.empty()) return tl::unexpected(std::move(errors));
  const auto now = context.system.clock.now();
  Report report{.schema = schema, .value = {}, .text = {}};
  if (context.reporter.mode() == OutputMode::json) {
    report.value = to_json(runs, now);
  } else {
    report.text = render_run_states(runs, now);
  }
  context.reporter.partial_answer(report, errors);
  return worst_code(errors);
}

}  // namespace ddp::cli
