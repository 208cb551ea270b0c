#pragma once

#include <chrono>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// Of a run that ddpsubmit itself starts, and whose ddpsubmit is gone: a head claims its attempt as soon as
/// it is started, so one that has not for two minutes never was. A sweep waits for its turn: of it nothing is
/// known.
[[nodiscard]] JobSighting judge_lost_start(const LostJob& lost, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
