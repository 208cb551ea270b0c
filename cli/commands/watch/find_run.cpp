#include "cli/commands/watch/find_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/run/run_json.hpp"
#include "cli/output/run/run_states.hpp"
#include "cli/store/state/run_records.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "ddp/jobenv/terminal.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/ledger/sweep_ledger.hpp"

namespace ddp::cli {

namespace {

bool is_number(std::string_view text) {
  return parse_whole_number(text).has_value();
}

/// The point of a sweep that the text behind the last slash, or behind the last underscore of a job id,
/// names.
Expected<RunPointer> select_point(const RunPointer& sweep, const std::string& number) {
  const auto record = load_sweep_record(RunFolder(sweep.run_dir));
  if (!record && record.error().code != ExitCode::not_found) return tl::unexpected(record.error());
  if (!record) return fail(ExitCode::not_found, "run " + sweep.run_id + " is not a sweep: it has no points");
  const auto point = parse_whole_number(number);
  if (point && *point < std::ssize(record->points)) return point_pointer(sweep, static_cast<int>(*point));
  return fail(ExitCode::not_found, "sweep " + sweep.run_id + " has no point '" + number + "'",
              fmt::format("its points are 0 to {}", record->points.size() - 1));
}

/// The point, or for an array alone the sweep, that the scheduler runs under this id.
std::optional<RunPointer> find_task(const std::vector<RunPointer>& runs, const std::string& job_id) {
  const auto array = job_id.substr(0, job_id.find('_'));
  for (const auto& run : runs) {
    const RunFolder folder(run.run_dir);
    const auto record = load_sweep_record(folder);
    const auto ledger = record ? load_ledger(folder) : Expected<std::vector<LedgerEvent>>{};
    if (!record || !ledger) continue;
    const auto is_array = [&array](const LedgerEvent& event) {
      const auto answer = as<event::Submitted>(event);
      return answer && answer->job_id == array;
    };
    if (std::ranges::none_of(*ledger, is_array)) continue;
    if (array == job_id) return run;
    for (int point = 0; point < std::ssize(record->points); ++point) {
      const auto events = select_point_events(*ledger, point, {});
      const auto is_task = [&job_id](const LedgerEvent& event) {
        const auto answer = as<event::Submitted>(event);
        return answer && answer->job_id == job_id;
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

bool goes_on(const RunStatus& status) {
  return !is_final(status.state) && !status.ended;
}

/// Those that go on, or may, by their records alone.
std::vector<RunPointer> select_open(std::vector<RunPointer> runs, StatusResolver& resolver) {
  std::erase_if(runs, [&resolver](const RunPointer& run) {
    return !check_exists(RunFolder(run.run_dir)) || !goes_on(resolver.load_recorded(run));
  });
  return runs;
}

/// Of those that the records leave open the launchers tell it.
std::vector<RunPointer> select_live(std::vector<RunPointer> runs, StatusResolver& resolver) {
  runs = select_open(std::move(runs), resolver);
  const auto states = resolver.resolve(runs);
  std::vector<RunPointer> live;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    if (goes_on(states[index])) live.push_back(std::move(runs[index]));
  }
  return live;
}

std::string join_ids(const std::vector<RunPointer>& runs, std::string_view separator) {
  std::string ids;
  for (const auto& run : runs) ids += (ids.empty() ? "" : std::string(separator)) + run.run_id;
  return ids;
}

/// Finds the run that a word stands for among all runs.
class Selector {
 public:
  Selector(const std::vector<RunPointer>& runs, const Context& context, RunUse use)
      : runs_(runs), context_(context), use_(use), resolver_(context.seams()) {
    for (const auto& run : runs) ids_.emplace(run.run_id, &run);
  }

  [[nodiscard]] Expected<RunPointer> select(const std::string& word) {
    if (const auto slash = word.rfind('/'); slash != word.npos) {
      return select_whole(word.substr(0, slash)).and_then([&](const RunPointer& sweep) {
        return select_point(sweep, word.substr(slash + 1));
      });
    }
    auto run = select_whole(word);
    if (run || run.error().code != ExitCode::not_found || !is_job_id(word)) return run;
    auto task = find_task(runs_, word);
    return task ? Expected<RunPointer>(std::move(*task)) : run;
  }

 private:
  /// A run, or a whole sweep.
  [[nodiscard]] Expected<RunPointer> select_whole(const std::string& word) {
    if (const auto found = ids_.find(word); found != ids_.end() && word != "last") return *found->second;
    auto namesakes = select_namesakes(runs_, word);
    if (namesakes.size() < 2)
      return select_run(runs_, word, use_ == RunUse::read ? Prefixes::any : Prefixes::beyond_name);
    return use_ == RunUse::stop ? select_live_one(word, namesakes)
                                : select_newest(word, std::move(namesakes));
  }

  /// The note is not worth a question to a launcher.
  [[nodiscard]] RunPointer select_newest(const std::string& name, std::vector<RunPointer> namesakes) {
    auto newest = std::move(namesakes.front());
    namesakes.erase(namesakes.begin());
    const auto others = select_open(std::move(namesakes), resolver_);
    if (!others.empty()) {
      context_.reporter.note(fmt::format("'{}' matches several runs; using {}, the newest; also active: {}",
                                         name, newest.run_id, join_ids(others, ", ")));
    }
    return newest;
  }

  [[nodiscard]] Expected<RunPointer> select_live_one(const std::string& name,
                                                     const std::vector<RunPointer>& namesakes) {
    const auto live = select_live(namesakes, resolver_);
    if (live.empty()) return namesakes.front();
    if (live.size() == 1) return live.front();
    return fail(ExitCode::usage,
                fmt::format("{} active runs are named '{}': {}", live.size(), name, join_ids(live, ", ")),
                fmt::format("name them by their run ids; to name all of them: {}", join_ids(live, " ")));
  }

  const std::vector<RunPointer>& runs_;
  std::unordered_map<std::string_view, const RunPointer*> ids_;  // of many words most are ids
  const Context& context_;
  RunUse use_;
  StatusResolver resolver_;
};

}  // namespace

Expected<RunPointer> find_run(const std::string& selector, const Context& context) {
  auto found = find_runs({selector}, context);
  if (!found) return tl::unexpected(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors.front()));
  return std::move(found->pointers.front());
}

Expected<FoundRuns> find_runs(const std::vector<std::string>& selectors, const Context& context, RunUse use) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  const auto all = store->load_all();
  if (!all) return tl::unexpected(all.error());
  FoundRuns found;
  Selector finder(*all, context, use);
  for (const auto& selector : selectors) {
    if (auto run = finder.select(selector)) {
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
    report.text = render_run_states(runs, now, terminal_columns(STDOUT_FILENO));
  }
  context.reporter.partial_answer(report, errors);
  return worst_code(errors);
}

}  // namespace ddp::cli
