#include "cli/launch/lost_start.hpp"

#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

/// ddpsubmit waits a minute for the answer to an order to start head.
constexpr std::chrono::minutes kLongestStart{2};

/// Any of its points, by whichever submission.
bool has_started_points(const RunFolder& folder) {
  const auto sweep = load_sweep_record(folder);
  const int points = sweep ? static_cast<int>(sweep->points.size()) : 0;
  for (int point = 0; point < points; ++point)
    if (folder.point_folder(point).highest_attempt().value_or(-1) >= 0) return true;
  return false;
}

}  // namespace

JobSighting judge_lost_start(const LostJob& lost, std::chrono::system_clock::time_point now) {
  if (!lost.since || now - *lost.since < kLongestStart || has_started_points(lost.folder)) return {};
  // A head has claimed it, whose word of that cannot be read.
  if (lost.folder.highest_attempt().value_or(-1) > lost.known_attempt) return {};
  return {.presence = JobPresence::absent};
}

}  // namespace ddp::cli
