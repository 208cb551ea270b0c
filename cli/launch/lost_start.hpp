#pragma once

#include <chrono>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// For a run that ddpsubmit starts itself, and whose ddpsubmit died before it recorded that. A head claims
/// its attempt as soon as it is started: the newest submission of `lost` has no head, so after two minutes
/// none was started. Of a sweep that is said only if none of its points ever had one.
[[nodiscard]] JobSighting judge_lost_start(const LostJob& lost, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
