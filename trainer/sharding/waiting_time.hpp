#pragma once

#include <chrono>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {

/// How long a rank has been in collectives, or waiting for them. Used by one thread.
class WaitingTime {
 public:
  /// Counts as long as it lives, and shows that this rank waits for others.
  class Wait {
   public:
    explicit Wait(WaitingTime& time) : time_(time) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { time_.total_ += Clock::now() - began_; }

   private:
    WaitingTime& time_;
    PeerWait peers_;
    std::chrono::steady_clock::time_point began_ = Clock::now();
  };

  [[nodiscard]] std::chrono::nanoseconds total() const { return total_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds total_{};
};

}  // namespace ddp::trainer
