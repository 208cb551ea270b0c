#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Tells how long the time limit leaves a run that is followed. Reads live.json, but not at every look: the
/// limit hardly ever changes.
class LimitWatch {
 public:
  using Time = std::chrono::system_clock::time_point;

  explicit LimitWatch(RunFolder folder) : folder_(std::move(folder)) {}

  /// nullopt: the job has no limit, or the limit is not known yet.
  [[nodiscard]] std::optional<std::chrono::seconds> time_left(int attempt, Time now);

 private:
  RunFolder folder_;
  std::optional<Time> end_;
  Time next_look_{};
};

}  // namespace ddp::cli
