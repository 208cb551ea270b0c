#pragma once

#include <c10/core/Event.h>
#include <torch/types.h>

#include <chrono>
#include <deque>

namespace ddp::trainer {

/// Adds up how long passes take on the device that they run on: by the clock on the CPU, elsewhere by events
/// on the current stream, for which nothing waits until take(). Used by one thread at a time.
class PassTimer {
 public:
  explicit PassTimer(const at::Device& device) : device_(device) {}

  /// Begins a pass; one that has no end does not count.
  void begin();
  void end();

  /// The time of all passes that have ended since the call before. Waits until the device has done them.
  [[nodiscard]] std::chrono::nanoseconds take();

 private:
  using Clock = std::chrono::steady_clock;
  struct Span {
    c10::Event begin;
    c10::Event end;
  };
  enum class Wait { no, yes };

  void record(c10::Event& event) const;
  void collect(Wait wait);

  at::Device device_;
  bool begun_ = false;
  Clock::time_point began_;  // on the CPU
  std::deque<Span> spans_;   // elsewhere; the last one may have no end yet
  std::chrono::nanoseconds taken_{};
};

}  // namespace ddp::trainer
