#pragma once

#include <chrono>
#include <optional>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Where head has the end of its job from.
enum class DeadlineSource {
  start,      ///< the start of the job: the limit may have been changed since
  scheduler,  ///< the scheduler, which has just been asked
};

/// What is known when a signal reaches head.
struct SignalContext {
  std::chrono::system_clock::time_point now;
  std::optional<std::chrono::system_clock::time_point> deadline;  ///< of the scheduler
  bool cancel_recorded = false;                                   ///< somebody has run `ddpsubmit cancel`
  DeadlineSource source = DeadlineSource::start;
};

/// Whether Slurm may send the stop signal at `now` for an end of the job at `deadline`: it may be 60 s early.
[[nodiscard]] bool announces_end(const LaunchPlan& plan, std::chrono::system_clock::time_point now,
                                 std::chrono::system_clock::time_point deadline);

/// Why the run has to stop; nullopt: the signal means nothing here. Under Slurm the stop signal means the
/// time limit when it comes near the end. When it comes earlier, that is not certain (Certainty::asked): the
/// limit was shortened, the job is preempted, or somebody has sent it, and only the scheduler can tell.
[[nodiscard]] std::optional<StopWanted> interpret_signal(int signal, const LaunchPlan& plan,
                                                         const SignalContext& context);

}  // namespace ddp::agent
