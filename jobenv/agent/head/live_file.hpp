#pragma once

#include <functional>
#include <optional>
#include <string>

#include "jobenv/agent/head/live_view.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// Keeps live.json up to date: writes it when something has changed, at most once an interval.
/// Single-threaded, on head's loop.
class LiveFile {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// `loop` must outlive it.
  LiveFile(EventLoop& loop, RunFolder folder, std::chrono::milliseconds interval, Log log)
      : loop_(loop), folder_(std::move(folder)), interval_(interval), log_(std::move(log)) {}
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;
  ~LiveFile() { stop(); }

  void begin_attempt(int number) { view_.begin_attempt(number); }
  void set_job_end(std::chrono::system_clock::time_point end) { view_.set_job_end(end); }
  void take(const RunEvent& event);
  /// The run has ended: nothing is written any more.
  void stop();

 private:
  void write();

  EventLoop& loop_;
  RunFolder folder_;
  std::chrono::milliseconds interval_;
  Log log_;
  LiveView view_;
  std::optional<EventLoop::TimerId> timer_;  ///< of the next write, or until one may follow
  bool changed_ = false;
  bool stopped_ = false;
  bool failed_ = false;  ///< which has been said
};

}  // namespace ddp::agent
