#include "cli/top/model/top_data.hpp"

#include <algorithm>

namespace ddp::cli {

const KnownRun* find_run(const TopData& data, const std::string& run_id) {
  const auto sweep = run_id.substr(0, run_id.find('/'));
  const auto found =
      std::ranges::find_if(data.runs, [&](const TopRun& one) { return one.run.pointer.run_id == sweep; });
  if (found == data.runs.end()) return nullptr;
  if (sweep == run_id) return &found->run;
  const auto point = std::ranges::find_if(found->run.points,
                                          [&](const KnownRun& one) { return one.pointer.run_id == run_id; });
  return point == found->run.points.end() ? nullptr : &*point;
}

bool was_removed(const TopData& data, const std::string& run_id) {
  const auto first = run_id.substr(0, run_id.find('/'));
  const auto found =
      std::ranges::find_if(data.runs, [&](const TopRun& one) { return one.run.pointer.run_id == first; });
  return found == data.runs.end() || found->gone;
}

}  // namespace ddp::cli
