#include "cli/commands/complete/complete_run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "cli/store/run_id.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::milliseconds kTimeToRead{25};  // the shell waits

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

/// The points of the sweep that stands before the slash.
Candidates complete_point(const Question& question, const RunStore& store) {
  const auto selector = question.begin.substr(0, question.begin.find('/'));
  const auto run = store.find(selector);
  const auto sweep = run ? load_sweep_record(RunFolder(run->run_dir)) : tl::unexpected(run.error());
  Candidates candidates;
  for (std::size_t point = 0; sweep && point < sweep->points.size(); ++point) {
    auto word = selector + "/" + std::to_string(point);
    if (word.starts_with(question.begin))
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

/// By when they were started, or started again.
std::vector<std::string> newest_first(const RunStore& store) {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> ids;
  for (auto& id : store.list_ids()) {
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(store.path_of(id), gone);
    if (!gone) ids.emplace_back(written, std::move(id));
  }
  std::ranges::sort(ids, std::greater<>());
  std::vector<std::string> sorted;
  for (auto& [written, id] : ids) sorted.push_back(std::move(id));
  return sorted;
}

/// By its records alone: no launcher is asked while somebody types.
bool may_go_on(const RunPointer& run) {
  if (!check_exists(RunFolder(run.run_dir))) return false;
  const auto status = load_recorded_status(run);
  return !is_final(status.state) && !status.ended;
}

struct OpenRuns {
  std::vector<std::string> ids;
  Last last = Last::is_another;
};

/// Those that the word may mean, as far as the time for reading goes.
OpenRuns find_open_runs(const RunStore& store, const Question& question) {
  const auto& clock = question.context.system.clock;
  const auto until = clock.steady() + kTimeToRead;
  const bool may_be_last = std::string_view("last").starts_with(question.begin);
  OpenRuns open;
  std::chrono::system_clock::time_point newest;
  for (const auto& id : newest_first(store)) {
    if (clock.steady() >= until) break;
    if (!may_be_last && !id.starts_with(question.begin)) continue;
    const auto run = store.load(id);
    if (!run) continue;
    const bool goes_on = may_go_on(*run);
    if (run->created > newest) {
      newest = run->created;
      open.last = goes_on ? Last::is_meant : Last::is_another;
    }
    if (goes_on) open.ids.push_back(id);
  }
  return open;
}

}  // namespace

Candidates complete_run(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
  if (!store) return {};
  if (question.begin.find('/') != std::string::npos) return complete_point(question, *store);
  return propose_runs(store->list_ids(), Last::is_meant, question);
}

Candidates complete_open_run(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
  if (!store) return {};
  if (question.begin.find('/') != std::string::npos) return complete_point(question, *store);
  auto open = find_open_runs(*store, question);
  return propose_runs(std::move(open.ids), open.last, question);
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
