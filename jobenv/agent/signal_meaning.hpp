#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "jobenv/agent/run_event.hpp"
#include "jobenv/record/launch_plan.hpp"

namespace ddp::agent {

/// What is known when a signal reaches head.
struct SignalContext {
  std::chrono::system_clock::time_point now;
  std::optional<std::chrono::system_clock::time_point> deadline;  ///< of the scheduler
  bool cancel_recorded = false;                                   ///< somebody has run `ddpsubmit cancel`
};

/// The signals that head and agents take: whatever can mean a stop, and what must not end them.
[[nodiscard]] std::vector<int> signals_taken(const LaunchPlan& plan);

/// Why the run has to stop; nullopt: the signal means nothing here. Under Slurm the stop signal means the
/// time limit when it comes near the end (Slurm may send it 60 s early), and preemption before.
[[nodiscard]] std::optional<StopWanted> interpret_signal(int signal, const LaunchPlan& plan,
                                                         const SignalContext& context);

}  // namespace ddp::agent
