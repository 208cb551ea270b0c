#pragma once

#include <chrono>

namespace ddp::trainer {

/// How often a thread asks MPI for operations that are on their way. MPI moves data only while it is asked;
/// but ranks may outnumber the CPUs, and a thread that always asks takes them from those that compute.
class PollPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// A round of questions took from `begin` to `end`. One that takes long has moved data.
  void asked(Clock::time_point begin, Clock::time_point end, bool something_ended) {
    if (something_ended || end - begin > kQuickRound) moved_ = end;
    quiet_ = end - moved_;
  }

  /// For something new to do.
  void restart() {
    moved_ = Clock::now();
    quiet_ = {};
  }

  /// How long to sleep before the next round; zero: not at all, but others may have the CPU.
  [[nodiscard]] std::chrono::microseconds pause() const { return quiet_ < kPatience ? kNone : kPause; }

 private:
  static constexpr std::chrono::microseconds kQuickRound{5};
  static constexpr std::chrono::microseconds kPatience{500};
  static constexpr std::chrono::microseconds kNone{0};
  static constexpr std::chrono::microseconds kPause{50};

  Clock::time_point moved_ = Clock::now();
  Clock::duration quiet_{};
};

}  // namespace ddp::trainer
