#include "cli/commands/complete/complete_run.hpp"

#include <algorithm>
#include <map>

#include "cli/store/run_id.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

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

}  // namespace

Candidates complete_run(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
  if (store && question.begin.find('/') != std::string::npos) return complete_point(question, *store);
  auto ids = store ? store->list_ids() : std::vector<std::string>{};
  if (ids.empty()) return {};
  std::ranges::sort(ids);
  std::map<std::string, int> runs_of;  // by their name
  for (const auto& id : ids) ++runs_of[name_in_run_id(id)];

  Candidates candidates;
  const auto add = [&](const std::string& word, std::string doc) {
    const bool is_given = std::ranges::find(question.runs, word) != question.runs.end();
    if (!is_given && word.starts_with(question.begin)) candidates.push_back({word, std::move(doc)});
  };
  add("last", "the newest run");
  for (const auto& [name, count] : runs_of)
    add(name, count == 1 ? "run name" : "name of " + std::to_string(count) + " runs: the newest of them");
  for (const auto& id : ids) {
    if (!runs_of.contains(id)) add(id, "run id");
  }
  return candidates;
}

}  // namespace ddp::cli
