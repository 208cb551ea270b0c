#include "trainer/optim/schedules/schedule.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/optim/schedules/schedule_formulas.hpp"

namespace ddp::trainer {

Schedule::Schedule(std::optional<Component> schedule, double base_rate, std::int64_t total_steps)
    : schedule_(std::move(schedule)), base_rate_(base_rate), total_steps_(total_steps) {
  if (!schedule_) return;
  warmup_steps_ = schedule_->get<std::int64_t>("warmup_steps");
  if (warmup_steps_ > 0 && warmup_steps_ >= total_steps_) {
    throw InvalidConfiguration("train.schedule.warmup_steps: the run has only " +
                               std::to_string(total_steps_) + " steps, and the warm-up of " +
                               std::to_string(warmup_steps_) +
                               " steps leaves none for the schedule; set a smaller value");
  }
}

double Schedule::learning_rate(std::int64_t step, std::int64_t epoch) const {
  if (!schedule_) return base_rate_;
  if (step >= warmup_steps_) return after_warmup(step, epoch);
  const double start = schedule_->get<double>("warmup_start_factor");
  return base_rate_ * (start + (1 - start) * static_cast<double>(step) / static_cast<double>(warmup_steps_));
}

double Schedule::after_warmup(std::int64_t step, std::int64_t epoch) const {
  const std::int64_t decay_steps = total_steps_ - warmup_steps_;
  return find_schedule_formula(*schedule_)(*schedule_,
                                           {.base_rate = base_rate_,
                                            .step = step,
                                            .epoch = epoch,
                                            .since_warmup = std::min(step - warmup_steps_, decay_steps),
                                            .decay_steps = decay_steps});
}

double scaled_learning_rate(double base_rate, const std::optional<Component>& schedule,
                            std::int64_t global_batch_size) {
  const std::int64_t reference = schedule ? schedule->get<std::int64_t>("reference_batch_size") : 0;
  if (reference == 0) return base_rate;
  return base_rate * static_cast<double>(global_batch_size) / static_cast<double>(reference);
}

}  // namespace ddp::trainer
