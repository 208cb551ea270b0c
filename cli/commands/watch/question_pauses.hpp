#pragma once

#include <algorithm>
#include <chrono>

namespace ddp::cli {

/// QuestionPauses tells when a launcher is to be asked about a run: at once, and then after pauses, each
/// twice as long as the one before it.
class QuestionPauses {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds kShortest{2'000};
  static constexpr std::chrono::milliseconds kLongest{30'000};

  [[nodiscard]] bool is_over(Time now) const { return now >= end_; }
  /// The next pause begins.
  void begin(Time now) {
    end_ = now + next_;
    next_ = std::min(next_ * 2, kLongest);
  }
  /// The next pause is the shortest; this one stays as it is.
  void shorten() { next_ = kShortest; }
  /// This pause ends and the next one is the shortest, unless that is so already.
  void cut_short(Time now) {
    if (next_ > kShortest) {
      shorten();
      end_ = now;
    }
  }

 private:
  std::chrono::milliseconds next_ = kShortest;
  Time end_{};
};

}  // namespace ddp::cli
