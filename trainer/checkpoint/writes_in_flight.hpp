#pragma once

#include <chrono>

namespace ddp::trainer {

/// A checkpoint is being written as long as this object lives.
class WriteInFlight {
 public:
  WriteInFlight();
  WriteInFlight(const WriteInFlight&) = delete;
  WriteInFlight& operator=(const WriteInFlight&) = delete;
  ~WriteInFlight();
};

/// Waits until this process writes no checkpoint, no longer than `limit`; whether it writes none. May be
/// called by any thread: for the end of a process whose main thread hangs.
bool await_writes(std::chrono::milliseconds limit);

}  // namespace ddp::trainer
