#pragma once

#include <cstddef>

#include "cli/launch/resolve_status.hpp"

namespace ddp::cli {

/// Has the requeued jobs of one run, which the scheduler holds back for a while, started as soon as there is
/// room.
class RequeueRelease {
 public:
  /// Whether the run was requeued, and has not been released since.
  [[nodiscard]] bool is_due(const RunStatus& status) const {
    return status.state == RunState::queued && status.attempts.size() > released_;
  }
  /// The run, if it is due, and the points of a sweep. What cannot be released yet is due again.
  void release(const RunStatus& status, Launcher& launcher);

 private:
  std::size_t released_ = 0;  ///< attempts of the run when it was released last
};

}  // namespace ddp::cli
