#pragma once

#include <functional>
#include <map>
#include <utility>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/process/event_loop.hpp"

namespace ddp::agent {

/// The controller's timers, by their names. Single-threaded, on head's loop.
class RunTimers {
 public:
  using OnExpired = std::function<void(RunTimer timer)>;

  /// `loop` must outlive it. Both functions are called from the loop: `hear_out` takes what has come until
  /// then, and may replace the timer or stop it; `on_expired` follows if it has not.
  RunTimers(EventLoop& loop, std::function<void()> hear_out, OnExpired on_expired)
      : loop_(loop), hear_out_(std::move(hear_out)), on_expired_(std::move(on_expired)) {}
  RunTimers(const RunTimers&) = delete;
  RunTimers& operator=(const RunTimers&) = delete;

  /// Replaces the timer of that name.
  void arm(const ArmTimer& request);
  /// Stops all timers but the time limit's: it is that of the run.
  void disarm();

 private:
  void expire(RunTimer timer);

  EventLoop& loop_;
  std::function<void()> hear_out_;
  OnExpired on_expired_;
  std::map<RunTimer, EventLoop::TimerId> timers_;
};

}  // namespace ddp::agent
