#include "trainer/shm/shared_count.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace ddp::trainer {
namespace {

// glibc has no function for it, and std::atomic::wait is for the threads of one process.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

timespec to_timespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((time - seconds).count())};
}

/// Past 2^32, too.
bool reaches(std::uint32_t number, std::uint32_t count) {
  return static_cast<std::int32_t>(number - count) >= 0;
}

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void SharedCount::raise() {
  // In one order with the sleeper's: either it sees the count, or it is seen here.
  count_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) futex(count_, FUTEX_WAKE, INT_MAX, nullptr);
}

bool SharedCount::has_reached(std::uint32_t count) const {
  return reaches(count_.load(std::memory_order_acquire), count);
}

bool SharedCount::wait_for(std::uint32_t count, std::chrono::nanoseconds spin,
                           std::chrono::nanoseconds sleep) {
  constexpr int kLooksPerClock = 64;
  const auto end = std::chrono::steady_clock::now() + spin;
  do {
    for (int look = 0; look < kLooksPerClock; ++look) {
      if (has_reached(count)) return true;
      pause_processor();
    }
  } while (std::chrono::steady_clock::now() < end);
  const timespec timeout = to_timespec(sleep);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t seen = count_.load(std::memory_order_seq_cst);
  if (!reaches(seen, count)) futex(count_, FUTEX_WAIT, seen, &timeout);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return has_reached(count);
}

}  // namespace ddp::trainer
