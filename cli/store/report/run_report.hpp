#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/store/metrics/training_history.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// How an attempt failed, if it did, and how long the run needed to get over it. Times are never negative,
/// whatever the clocks of the hosts say.
struct AttemptReport {
  int number = 0;
  std::string outcome;                           ///< empty while it has none
  std::optional<Cause> cause = {};               ///< the first failure
  std::optional<std::uint64_t> lost_steps = {};  ///< that the next attempt had to do again
  /// From the end of the rank that failed first, or its last progress, until head ordered the others killed.
  std::optional<std::chrono::milliseconds> detected_after = {};
  /// From that order until the next attempt had done its first step.
  std::optional<std::chrono::milliseconds> stepped_again_after = {};
};

/// What the failures of a run have cost. nullopt: not known.
struct RunReport {
  std::vector<AttemptReport> attempts;           ///< since the newest submission
  int failures = 0;                              ///< attempts that failed, or were lost with their head
  std::optional<std::uint64_t> lost_steps = {};  ///< of all attempts
  std::optional<std::chrono::milliseconds> detected_after = {};       ///< the median
  std::optional<std::chrono::milliseconds> stepped_again_after = {};  ///< the median
  /// Spent on the steps that the result is made of.
  std::optional<std::chrono::duration<double>> trained = {};
  /// From the start of the first head to the end of the last attempt, queues in between included. Of a run
  /// that goes on: until the newest record of its training, or until now where no rank trains.
  std::optional<std::chrono::duration<double>> wall_clock = {};

  /// Effective training time ratio: of the wall clock, 0 to 1.
  [[nodiscard]] std::optional<double> effective_ratio() const;
};

/// `saved`: the step of the newest checkpoint; 0: there is none; nullopt: not known, so that all steps of the
/// last attempt count.
[[nodiscard]] RunReport report_run(const RunStatus& run, const TrainingHistory& history,
                                   std::optional<std::uint64_t> saved,
                                   std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
