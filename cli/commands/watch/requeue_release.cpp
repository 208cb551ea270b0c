#include "cli/commands/watch/requeue_release.hpp"

namespace ddp::cli {

bool RequeueRelease::is_due(const RunStatus& status) const {
  if (status.points.empty()) return status.state == RunState::queued && status.attempts.size() > released_;
  for (std::size_t number = 0; number < status.points.size(); ++number) {
    const auto& point = status.points[number];
    const bool is_new = number >= points_.size();
    if (point.requeued && (is_new ? RequeueRelease() : points_[number]).is_due(point)) return true;
  }
  return false;
}

void RequeueRelease::release(const RunStatus& status, Launcher& launcher) {
  points_.resize(status.points.size());
  for (std::size_t number = 0; number < points_.size(); ++number) {
    if (status.points[number].requeued) points_[number].release(status.points[number], launcher);
  }
  if (!status.points.empty() || !is_due(status)) return;
  auto* const queue = launcher.queue();
  if (queue == nullptr || queue->release(status) != Hold::not_yet) released_ = status.attempts.size();
}

}  // namespace ddp::cli
