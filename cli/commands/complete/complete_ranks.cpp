#include "cli/commands/complete/complete_ranks.hpp"

#include <algorithm>

#include "cli/commands/complete/complete_run.hpp"
#include "cli/store/state/run_records.hpp"

namespace ddp::cli {
namespace {

constexpr int kMaxProposed = 1'024;

/// 0: it is not known. The points of a sweep have as many ranks each.
int count_ranks(const std::string& selector, const EnvMap& environment) {
  const auto store = RunStore::open(environment);
  const auto run = store ? find_run_typed(*store, selector.substr(0, selector.find('/'))) : std::nullopt;
  if (!run) return 0;
  const RunFolder folder(run->run_dir);
  auto plan = load_run_plan(folder);
  if (!plan) plan = load_run_plan(folder.point_folder(0));
  return plan ? layout_of(*plan).world_size() : 0;
}

}  // namespace

Candidates complete_ranks(const Question& question) {
  if (question.runs.empty()) return {};
  const auto comma = question.begin.rfind(',');
  const auto settled = question.begin.substr(0, comma == question.begin.npos ? 0 : comma + 1);
  const int ranks = count_ranks(question.runs.back(), question.context.environment);
  Candidates candidates;
  for (int rank = 0; rank < std::min(ranks, kMaxProposed); ++rank) {
    auto word = settled + std::to_string(rank);
    const bool is_given = ("," + settled).find("," + std::to_string(rank) + ",") != std::string::npos;
    if (!is_given && word.starts_with(question.begin)) candidates.push_back({std::move(word), {}});
  }
  return candidates;
}

}  // namespace ddp::cli
