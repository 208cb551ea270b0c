#pragma once

#include <chrono>
#include <map>
#include <string_view>
#include <vector>

#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// What a run does with its time.
enum class RunPhaseKind {
  queued,      ///< waits for the scheduler
  restarting,  ///< between two attempts of a job
  starting,    ///< until the first step of an attempt
  running,
  hanging,   ///< from the last progress of a rank that hung until its attempt was ended for that
  stopping,  ///< from the first failure of an attempt until its end
};

struct RunPhase {
  RunPhaseKind kind = RunPhaseKind::running;
  int attempt = 0;  ///< that it belongs to, or that follows
  std::chrono::system_clock::time_point begin = {};
  std::chrono::system_clock::time_point end = {};
};

[[nodiscard]] std::string_view name_of(RunPhaseKind kind);

/// When each attempt had done its first step.
using FirstSteps = std::map<int, std::chrono::system_clock::time_point>;

/// In order; what is not known is left out, and so is what would end before it begins. A run that has not
/// ended lasts until `now`.
[[nodiscard]] std::vector<RunPhase> phases_of(const RunStatus& run, const FirstSteps& first_steps,
                                              std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
