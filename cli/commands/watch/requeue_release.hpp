#pragma once

#include <cstddef>
#include <vector>

#include "cli/launch/state/resolve_status.hpp"

namespace ddp::cli {

/// Has the requeued jobs of one run, which the scheduler holds back for a while, started as soon as there is
/// room.
class RequeueRelease {
 public:
  /// Whether the run, or a point of the sweep that it is, was requeued, and has not been released since.
  [[nodiscard]] bool is_due(const RunStatus& status) const;
  /// What is due. What cannot be released yet is due again.
  void release(const RunStatus& status, Launcher& launcher);

 private:
  std::size_t released_ = 0;  ///< attempts of the run when it was released last
  std::vector<RequeueRelease> points_;
};

}  // namespace ddp::cli
