#include "cli/commands/requeue_release.hpp"

namespace ddp::cli {

void RequeueRelease::release(const RunStatus& status, Launcher& launcher) {
  for (const auto& point : status.points) {
    if (point.requeued && point.state == RunState::queued) (void)launcher.release(point);
  }
  if (is_due(status) && launcher.release(status) != Hold::not_yet) released_ = status.attempts.size();
}

}  // namespace ddp::cli
