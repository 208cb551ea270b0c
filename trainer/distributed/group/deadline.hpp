#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ddp::trainer {

/// Something that has to be done within a time, for calls that have no time-out of their own: done is when
/// this object is destroyed.
class Deadline {
 public:
  /// `late` is called once, in a thread of this object, when the time is over.
  Deadline(std::chrono::milliseconds time, std::function<void()> late);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  /// Waits for `late` if it has begun.
  ~Deadline();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace ddp::trainer
