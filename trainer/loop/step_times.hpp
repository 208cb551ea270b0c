#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace ddp::trainer {

/// How long the steps of a window took on this rank, in seconds. A percentile is the time of a step that was
/// measured (nearest rank).
struct StepTimeSummary {
  std::int64_t steps = 0;
  double total = 0;
  double data_wait = 0;  ///< of the total, for batches that were not there yet
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

/// Collects the times of single steps.
class StepTimes {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// A step of `total`, `data_wait` of it for its batches.
  void add(Duration total, Duration data_wait);

  [[nodiscard]] StepTimeSummary summary() const;

 private:
  std::vector<double> seconds_;
  double data_wait_ = 0;
};

}  // namespace ddp::trainer
