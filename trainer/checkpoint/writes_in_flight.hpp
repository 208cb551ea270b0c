#pragma once

#include <chrono>
#include <functional>

namespace ddp::trainer {

/// A checkpoint is being written as long as this object lives.
class WriteInFlight {
 public:
  /// `hurry` is called by await_writes(), in any thread: what the write waits for may never come. It does not
  /// throw and returns at once.
  explicit WriteInFlight(std::function<void()> hurry);
  WriteInFlight(const WriteInFlight&) = delete;
  WriteInFlight& operator=(const WriteInFlight&) = delete;
  ~WriteInFlight();

 private:
  friend bool await_writes(std::chrono::milliseconds limit);

  std::function<void()> hurry_;
};

/// Waits until this process writes no checkpoint, no longer than `limit`; whether it writes none. May be
/// called by any thread: for the end of a process whose main thread hangs.
bool await_writes(std::chrono::milliseconds limit);

}  // namespace ddp::trainer
