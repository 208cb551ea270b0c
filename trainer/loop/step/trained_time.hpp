#pragma once

#include <chrono>
#include <optional>

namespace ddp::trainer {

/// Adds up the time between each start and the stop that follows it.
class TrainedTime {
 public:
  using Clock = std::chrono::steady_clock;

  void start(Clock::time_point now) { since_ = now; }
  void stop(Clock::time_point now) {
    total_ = total(now);
    since_.reset();
  }
  /// Up to `now`, while it is started.
  [[nodiscard]] Clock::duration total(Clock::time_point now) const {
    return since_ ? total_ + (now - *since_) : total_;
  }

 private:
  Clock::duration total_{0};
  std::optional<Clock::time_point> since_;
};

}  // namespace ddp::trainer
