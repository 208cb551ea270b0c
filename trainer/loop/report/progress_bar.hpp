#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ddp::trainer {

/// One line of a terminal that shows how far a training is: a bar, the step, and when it will be done at the
/// speed of this attempt.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// The training stands after `first_step` of `total_steps`.
  ProgressBar(std::int64_t first_step, std::int64_t total_steps, Clock::time_point now);

  /// The line for `step`, `columns` wide at most, without an end.
  [[nodiscard]] std::string render(std::int64_t step, Clock::time_point now, std::size_t columns) const;

  /// Time until the last step; zero while nothing is known.
  [[nodiscard]] std::chrono::seconds remaining(std::int64_t step, Clock::time_point now) const;

 private:
  std::int64_t first_step_;
  std::int64_t total_steps_;
  Clock::time_point began_;
};

}  // namespace ddp::trainer
