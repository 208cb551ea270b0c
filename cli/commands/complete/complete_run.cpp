#include "cli/commands/complete/complete_run.hpp"

#include <algorithm>
#include <map>

#include "cli/store/run_id.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

Candidates complete_run(const Question& question) {
  const auto store = RunStore::open(question.context.environment);
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
