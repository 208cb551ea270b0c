#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ddp::trainer {

/// A count in memory that several processes share: one of them raises it, the others wait for it. It starts
/// at 0, as memory of zeros, and may pass 2^32.
class SharedCount {
 public:
  /// All that this process has written before is seen by those that have waited.
  void raise();

  [[nodiscard]] bool has_reached(std::uint32_t count) const;

  /// Whether the count reaches `count` within `spin` of looking at it all the time, and `sleep` without using
  /// the processor after that. A signal may end the sleep early.
  [[nodiscard]] bool wait_for(std::uint32_t count, std::chrono::nanoseconds spin,
                              std::chrono::nanoseconds sleep);

 private:
  std::atomic<std::uint32_t> count_;
  std::atomic<std::uint32_t> sleepers_;
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);  // so it works between processes
};

}  // namespace ddp::trainer
