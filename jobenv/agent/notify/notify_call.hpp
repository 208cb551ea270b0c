#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/guarded_process.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// How a call has ended.
struct NotifyCallEnd {
  std::optional<int> status;  ///< of waitpid; nullopt: it was not started, or could not even be killed
  std::chrono::milliseconds took{0};
  std::string failure;  ///< in words; empty: it ended with exit code 0
  std::string output;   ///< the end of what it has printed, in whole lines; may hold secrets
};

/// One call of the command under `notify`, beside everything else. When it has ended, or its time is over,
/// its process group is killed. Destroyed early, it kills the group, too. Single-threaded, on head's loop.
class NotifyCall {
 public:
  using OnEnd = std::function<void(const NotifyCallEnd& end)>;

  /// `process`: without its streams; `input` is for its stdin. `on_end` is called once, from the loop, and
  /// may destroy the call.
  NotifyCall(EventLoop& loop, GuardedProcess process, const std::string& input,
             std::chrono::milliseconds limit, OnEnd on_end);
  NotifyCall(const NotifyCall&) = delete;
  NotifyCall& operator=(const NotifyCall&) = delete;
  ~NotifyCall();

  /// Its time is over, earlier than the limit.
  void abort();

 private:
  [[nodiscard]] Expected<void> start(const std::string& input);
  void read_output();
  void drop_old_output();
  void on_exit(int status);
  void read_report();
  void kill_group() const;
  [[nodiscard]] std::string describe_failure(int status) const;
  void tell(std::optional<int> status, std::string failure);
  [[nodiscard]] std::chrono::milliseconds elapsed() const;

  EventLoop& loop_;
  GuardedProcess process_;
  OnEnd on_end_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  FileDescriptor output_;
  FileDescriptor reports_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId timer_ = 0;  ///< of the limit, then for the killed process to end
  pid_t pid_ = -1;
  std::optional<std::chrono::milliseconds> killed_after_;
  std::string said_;           ///< the end of what it has printed, from the start of a line
  bool skips_line_ = false;    ///< the start of the line that it prints is dropped
  std::string start_failure_;  ///< in words
};

}  // namespace ddp::agent
