#pragma once

#include <chrono>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {

/// How long the host of a rank has been in collectives, or waiting for them. On CUDA it only queues them, and
/// the device waits: there this says nothing about communication. Used by one thread at a time.
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
