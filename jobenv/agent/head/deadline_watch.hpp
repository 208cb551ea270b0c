#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/scheduler/job_inquiry.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Knows when the job of a run ends, and makes up for the stop signal that announces it: the scheduler sends
/// that once, and the batch script ignores it while set-up lines run. Single-threaded, on head's loop.
class DeadlineWatch {
 public:
  using Time = std::chrono::system_clock::time_point;
  using OnDeadline = std::function<void(Time deadline)>;
  using OnStopSignal = std::function<void(int signal)>;

  /// All but the functions must outlive it. `on_deadline` is called with each deadline that is learnt after
  /// the start, `on_stop_signal` when the signal is to be taken for one that has come.
  DeadlineWatch(EventLoop& loop, const LaunchPlan& plan, JobInquiry& inquiry, OnDeadline on_deadline,
                OnStopSignal on_stop_signal);
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  /// What is known when head starts; nullopt: nothing.
  void start_with(std::optional<Time> deadline) { deadline_ = deadline; }
  /// Where the scheduler ends the job: asks for a deadline that is not known, and awaits the stop signal.
  void begin();
  /// The scheduler has told it, maybe another one than before.
  void take(Time deadline);
  /// The ranks are stopped already, or have ended: from now on no stop signal is awaited.
  void forgo_stop_signal() { stop_signal_forgone_ = true; }

  [[nodiscard]] std::optional<Time> deadline() const { return deadline_; }

 private:
  void expect_stop_signal();
  void make_up_for_stop_signal();

  EventLoop& loop_;
  const LaunchPlan& plan_;
  JobInquiry& inquiry_;
  OnDeadline on_deadline_;
  OnStopSignal on_stop_signal_;
  std::optional<Time> deadline_;
  bool stop_signal_forgone_ = false;
};

}  // namespace ddp::agent
