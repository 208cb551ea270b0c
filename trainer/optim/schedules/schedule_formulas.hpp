#pragma once

#include <cstdint>

#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// What the learning rate of a step after the warm-up depends on.
struct ScheduledStep {
  double base_rate = 0;
  std::int64_t step = 0;          ///< of the run, from 0
  std::int64_t epoch = 0;         ///< the one that the step is in, from 0
  std::int64_t since_warmup = 0;  ///< steps since the end of the warm-up
  std::int64_t decay_steps = 1;   ///< from the end of the warm-up to the end of the run
};

using ScheduleFormula = double (*)(const Component& schedule, const ScheduledStep& at);

/// The formula of `train.schedule.name`.
[[nodiscard]] ScheduleFormula find_schedule_formula(const Component& schedule);

}  // namespace ddp::trainer
