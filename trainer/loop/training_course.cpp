#include "trainer/loop/training_course.hpp"

#include <algorithm>

namespace ddp::trainer {

bool due(std::int64_t count, std::optional<std::int64_t> every) {
  return every && *every > 0 && count % *every == 0;
}

void TrainingCourse::set_batches_per_epoch(std::int64_t batches) {
  batches_per_epoch_ = batches;
  total_steps_ = config_.max_steps ? *config_.max_steps : *config_.epochs * steps_for(batches);
}

void TrainingCourse::go_on_from(const TrainingPlace& place) {
  place_ = place;
  if (config_.mode != Mode::train) return;
  leave_unevaluated_epoch();
  if (!config_.max_steps) total_steps_ = place_.step + steps_left_in_epochs();
}

std::int64_t TrainingCourse::batches_of_next_step() const {
  return std::min(config_.gradient_accumulation_steps, batches_per_epoch_ - place_.position);
}

void TrainingCourse::finish_step(std::int64_t batches) {
  place_.position += batches;
  ++place_.step;
  leave_unevaluated_epoch();
}

void TrainingCourse::leave_unevaluated_epoch() {
  const bool evaluates = due(place_.epoch + 1, config_.evaluate.every_epochs);
  if (epoch_is_done() && !evaluates) begin_next_epoch();
}

std::int64_t TrainingCourse::steps_for(std::int64_t batches) const {
  const std::int64_t accumulated = config_.gradient_accumulation_steps;
  return (batches + accumulated - 1) / accumulated;
}

std::int64_t TrainingCourse::steps_left_in_epochs() const {
  const std::int64_t epochs = *config_.epochs - place_.epoch;
  if (epochs <= 0) return 0;
  return steps_for(batches_per_epoch_ - place_.position) + (epochs - 1) * steps_for(batches_per_epoch_);
}

std::string TrainingCourse::nothing_left() const {
  const std::string done = std::to_string(config_.max_steps ? place_.step : place_.epoch);
  const std::string asked = config_.max_steps
                                ? "train.max_steps is " + std::to_string(*config_.max_steps) + " and step "
                                : "train.epochs is " + std::to_string(*config_.epochs) + " and epoch ";
  return "nothing left to train: " + asked + done + " is done; to train longer, raise it above " + done;
}

}  // namespace ddp::trainer
