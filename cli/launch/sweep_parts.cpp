#include "cli/launch/launcher.hpp"

namespace ddp::cli {

std::vector<int> points_of(const SweepPart& part) {
  std::vector<int> points;
  for (const int task : part.tasks) points.push_back(part.first_point + task);
  return points;
}

std::vector<SweepPart> split_points(const std::vector<int>& points, int task_limit) {
  std::vector<SweepPart> parts;
  for (const int point : points) {
    if (parts.empty() || point - parts.back().first_point >= task_limit)
      parts.push_back({.first_point = point, .tasks = {}, .at_once = std::nullopt, .after = {}});
    parts.back().tasks.push_back(point - parts.back().first_point);
  }
  return parts;
}

}  // namespace ddp::cli
