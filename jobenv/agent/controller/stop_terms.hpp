#pragma once

#include <chrono>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// How long ranks may take to stop: as long as the scheduler lets them, where it is known.
[[nodiscard]] std::chrono::milliseconds grace_for(const StopWanted& stop, const LaunchPlan& plan);

/// Whether `stop` only announces the end of the job, to programs that heed it: others run on until then.
[[nodiscard]] bool is_announcement(const StopWanted& stop, const LaunchPlan& plan);

/// What commands are stopped with.
[[nodiscard]] int signal_for_ranks(const StopWanted& stop, const LaunchPlan& plan);

}  // namespace ddp::agent
