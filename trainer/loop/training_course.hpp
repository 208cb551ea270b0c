#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/config/train_config.hpp"
#include "trainer/loop/training_place.hpp"

namespace ddp::trainer {

/// Whether it is time after `count` steps or epochs for what is done after `every` so many of them. It never
/// is without `every`, or when that is 0.
[[nodiscard]] bool due(std::int64_t count, std::optional<std::int64_t> every);

/// The way of a run through its steps and epochs: where it is, and how far it goes. It only counts. Batches
/// are those of a shard.
class TrainingCourse {
 public:
  /// `config` must outlive this object.
  explicit TrainingCourse(const TrainConfig& config) : config_(config) {}

  /// Says how many batches an epoch of a training has, and so how long the training is.
  void set_batches_per_epoch(std::int64_t batches);

  /// Goes on from `place`. A training ends with its last epoch, however many steps the epochs before had.
  void go_on_from(const TrainingPlace& place);

  [[nodiscard]] const TrainingPlace& place() const { return place_; }
  [[nodiscard]] std::int64_t total_steps() const { return total_steps_; }

  /// Every step is done.
  [[nodiscard]] bool is_done() const { return place_.step >= total_steps_; }

  /// Every batch of the present epoch is done; begin_next_epoch() was not called yet.
  [[nodiscard]] bool epoch_is_done() const { return place_.position == batches_per_epoch_; }

  /// How many batches the next step takes: at the end of an epoch there may be fewer.
  [[nodiscard]] std::int64_t batches_of_next_step() const;

  /// Counts a step of so many batches. An epoch that ends with it is over, unless an evaluation follows.
  void finish_step(std::int64_t batches);

  void begin_next_epoch() { place_ = {place_.step, place_.epoch + 1, 0}; }

  /// What a training says that is_done() before its first step.
  [[nodiscard]] std::string nothing_left() const;

 private:
  [[nodiscard]] std::int64_t steps_for(std::int64_t batches) const;
  [[nodiscard]] std::int64_t steps_left_in_epochs() const;
  void leave_unevaluated_epoch();

  const TrainConfig& config_;
  std::int64_t batches_per_epoch_ = 0;
  std::int64_t total_steps_ = 0;
  TrainingPlace place_;
};

}  // namespace ddp::trainer
