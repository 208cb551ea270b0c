#pragma once

#include <cstdint>
#include <optional>

#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// The learning rate of each step: `train.schedule` after its linear warm-up. A pure function of the step and
/// its epoch, so that a run that goes on from a checkpoint needs nothing of it.
class Schedule {
 public:
  /// `base_rate` is the optimizer's learning rate; without a `schedule` it holds for all steps. The run has
  /// `total_steps`, at least one. Throws InvalidConfiguration when the warm-up leaves no step of the run.
  Schedule(std::optional<Component> schedule, double base_rate, std::int64_t total_steps);

  /// `step` counts the updates before, so it is 0 for the first one; `epoch`, the one that it is in,
  /// likewise.
  [[nodiscard]] double learning_rate(std::int64_t step, std::int64_t epoch) const;

 private:
  [[nodiscard]] double after_warmup(std::int64_t step, std::int64_t epoch) const;

  std::optional<Component> schedule_;
  double base_rate_;
  std::int64_t total_steps_;
  std::int64_t warmup_steps_ = 0;
};

/// The linear scaling rule: what `base_rate`, chosen for batches of `reference_batch_size` samples, becomes
/// for steps of `global_batch_size`. Without a schedule or a reference it is `base_rate`.
[[nodiscard]] double scaled_learning_rate(double base_rate, const std::optional<Component>& schedule,
                                          std::int64_t global_batch_size);

}  // namespace ddp::trainer
