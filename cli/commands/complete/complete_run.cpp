#include "cli/commands/complete/complete_run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "cli/store/run_id.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

// The shell waits, and the folders may be on a slow disk.
constexpr int kMostRecords = 64;  // of runs and points that are read
constexpr int kMostPoints = 16;   // of one sweep among other runs

/// "learning_rate=0.1 seed=2" of a point.
std::string render_values(const SweepRecord& sweep, const std::vector<nlohmann::json>& values) {
  std::string text;
  for (std::size_t key = 0; key < sweep.keys.size(); ++key) {
    const auto& path = sweep.keys[key];
    text +=
        (key == 0 ? "" : " ") + path.substr(path.rfind('.') + 1) + "=" + render_sweep_value(values.at(key));
  }
  return text;
}

/// By its records alone: no launcher is asked while somebody types.
bool may_go_on(const RunPointer& run) {
  const auto status = load_recorded_status(run);
  return !is_final(status.state) && !status.ended;
}

enum class RunsWanted { all, open };

/// The points of the sweep that stands before the slash. They start in their order: of those behind the ones
/// that are read most have not ended.
Candidates complete_point(const Question& question, const RunStore& store, RunsWanted wanted) {
  const auto selector = question.begin.substr(0, question.begin.find('/'));
  const auto run = find_run_typed(store, selector);
  const auto sweep = run ? load_sweep_record(RunFolder(run->run_dir)) : Expected<SweepRecord>(SweepRecord{});
  Candidates candidates;
  int to_read = wanted == RunsWanted::open ? kMostRecords : 0;
  for (std::size_t point = 0; sweep && point < sweep->points.size(); ++point) {
    auto word = selector + "/" + std::to_string(point);
    if (!word.starts_with(question.begin)) continue;
    if (to_read > 0) {
      --to_read;
      if (!may_go_on(point_pointer(*run, static_cast<int>(point)))) continue;
    }
    candidates.push_back({std::move(word), render_values(*sweep, sweep->points[point])});
  }
  return candidates;
}

enum class Last { is_meant, is_another };

/// `last`, if one of them is the newest run; then the names and the ids.
Candidates propose_runs(std::vector<std::string> ids, Last last, const Question& question) {
  if (ids.empty()) return {};
  std::ranges::sort(ids);
  std::map<std::string, int> runs_of;  // by their name
  for (const auto& id : ids) ++runs_of[name_in_run_id(id)];

  Candidates candidates;
  const auto add = [&](const std::string& word, std::string doc) {
    const bool is_given = std::ranges::find(question.runs, word) != question.runs.end();
    if (!is_given && word.starts_with(question.begin)) candidates.push_back({word, std::move(doc)});
  };
  if (last == Last::is_meant) add("last", "the newest run");
  for (const auto& [name, count] : runs_of)
    add(name, count == 1 ? "run name" : "name of " + std::to_string(count) + " runs: the newest of them");
  for (const auto& id : ids) {
    if (!runs_of.contains(id)) add(id, "run id");
  }
  return candidates;
}

/// Those that fit, by when they were started, or started again.
template <class Predicate>
std::vector<std::string> newest_first(const RunStore& store, Predicate fits) {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> ids;
  for (auto& id : store.list_ids()) {
    if (!fits(id)) continue;
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(store.path_of(id), gone);
    if (!gone) ids.emplace_back(written, std::move(id));
  }
  std::ranges::sort(ids, std::greater<>());
  std::vector<std::string> sorted;
  for (auto& [written, id] : ids) sorted.push_back(std::move(id));
  return sorted;
}

/// The runs that have not ended, as far as they are read.
class OpenRuns {
 public:
  explicit OpenRuns(const RunStore& store) : store_(store) {}

  [[nodiscard]] bool may_read() const { return to_read_ > 0; }
  void read(const std::string& id) {
    --to_read_;
    const auto run = store_.load(id);
    if (!run) return;
    const bool goes_on = run_or_sweep_goes_on(*run);
    if (run->created > newest_) {
      newest_ = run->created;
      last_ = goes_on ? Last::is_meant : Last::is_another;
    }
    if (goes_on) ids_.push_back(id);
  }

  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }
  [[nodiscard]] Last last() const { return last_; }

 private:
  [[nodiscard]] bool run_or_sweep_goes_on(const RunPointer& run) {
    const RunFolder folder(run.run_dir);
    if (!check_exists(folder)) return false;
    const auto sweep = load_sweep_record(folder);
    return sweep ? sweep_goes_on(run, static_cast<int>(sweep->points.size())) : may_go_on(run);
  }
  /// By its last points, which start last.
  [[nodiscard]] bool sweep_goes_on(const RunPointer& sweep, int points) {
    for (int point = points - 1; point >= std::max(0, points - kMostPoints); --point) {
      --to_read_;
      if (may_go_on(point_pointer(sweep, point))) return true;
    }
    return false;
  }

  const RunStore& store_;
  int to_read_ = kMostRecords;
  std::vector<std::string> ids_;
  std::chrono::system_clock::time_point newest_;
  Last last_ = Last::is_another;
};

/// Those that the word may mean.
OpenRuns find_open_runs(const RunStore& store, const std::string& begin) {
  const bool may_be_last = std::string_view("last").starts_with(begin);
  OpenRuns open(store);
  for (const auto& id :
       newest_first(store, [&](const std::string& id) { return may_be_last || id.starts_with(begin); })) {
    if (!open.may_read()) break;
    open.read(id);
  }
  return open;
}

}  // namespace

std::optional<RunPointer> find_run_typed(const RunStore& store, const std::string& selector) {
  if (auto run = store.load(selector)) return run;
  auto found = store.find(selector);
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

Candidates complete_run(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
  if (!store) return {};
  if (question.begin.find('/') != std::string::npos) return complete_point(question, *store, RunsWanted::all);
  return propose_runs(store->list_ids(), Last::is_meant, question);
}

Candidates complete_open_run(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
  if (!store) return {};
  if (question.begin.find('/') != std::string::npos)
    return complete_point(question, *store, RunsWanted::open);
  const auto open = find_open_runs(*store, question.begin);
  return propose_runs(open.ids(), open.last(), question);
}

Candidates complete_run_name(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
  std::set<std::string> names;
  for (const auto& id : store ? store->list_ids() : std::vector<std::string>{})
    names.insert(name_in_run_id(id));
  Candidates candidates;
  for (const auto& name : names) {
    if (name.starts_with(question.begin)) candidates.push_back({name, {}});
  }
  return candidates;
}

}  // namespace ddp::cli
