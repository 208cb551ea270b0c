#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace ddp::trainer {

/// What a step does, in seconds, in the mean over steps and over the shards of this rank.
struct StepParts {
  double forward = 0;
  double backward = 0;  ///< what it waits for the gradients of other ranks is in it
  double update = 0;
};

/// How long the steps of a window took on this rank, in seconds. A percentile is the time of a step that was
/// measured (nearest rank).
struct StepTimeSummary {
  std::int64_t steps = 0;
  double total = 0;
  double data_wait = 0;  ///< of the total, for batches that were not there yet
  StepParts parts;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

/// Collects the times of single steps.
class StepTimes {
 public:
  using Duration = std::chrono::steady_clock::duration;

  struct Step {
    Duration total{};
    Duration data_wait{};  ///< of the total, like what follows
    Duration forward{};
    Duration backward{};
    Duration update{};
  };

  void add(const Step& step);

  [[nodiscard]] StepTimeSummary summary() const;

 private:
  std::vector<double> seconds_;
  Step sums_;
};

}  // namespace ddp::trainer
