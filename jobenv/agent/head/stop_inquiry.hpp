#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/controller/signal_meaning.hpp"
#include "jobenv/agent/head/deadline_watch.hpp"
#include "jobenv/agent/head/head_records.hpp"
#include "jobenv/agent/head/lost_nodes.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/scheduler/job_inquiry.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Finds out what a signal means that reaches head while there are ranks, and tells the controller. Whether
/// the job is cancelled, preempted or started again, only the scheduler can tell: all of these come as TERM.
/// Single-threaded, on head's loop.
class StopInquiry {
 public:
  using Post = std::function<void(const RunEvent& event)>;

  /// All but the function must outlive it. `post` gets StopWanted, StopStands and JobEnds, in their order.
  StopInquiry(EventLoop& loop, const LaunchPlan& plan, const HeadRecords& records, JobInquiry& inquiry,
              LostNodes& lost_nodes, DeadlineWatch& deadline, Post post);
  StopInquiry(const StopInquiry&) = delete;
  StopInquiry& operator=(const StopInquiry&) = delete;

  /// Head was sent `signal`; not for one that comes after end().
  void on_signal(int signal);
  /// Asks the scheduler what it does with the job, if it is not being asked already.
  void look_at_job();
  /// The ranks have ended: what the scheduler is asked from now on does not concern them.
  void end() { ended_ = true; }

  /// When the first signal came that means a stop; nullopt: none has.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> stop_began() const {
    return stop_began_;
  }

 private:
  [[nodiscard]] std::optional<StopWanted> interpret(int signal, DeadlineSource source) const;
  void note_stop();
  void stop_and_ask(const StopWanted& stop);
  void post_undecided();
  void lose_patience();
  void on_look(JobFate fate);
  void look_again(std::optional<StopWanted> stop);

  EventLoop& loop_;
  const LaunchPlan& plan_;
  const HeadRecords& records_;
  JobInquiry& inquiry_;
  LostNodes& lost_nodes_;
  DeadlineWatch& deadline_;
  Post post_;
  std::optional<StopWanted> undecided_stop_;  ///< waits for what the look tells
  bool asks_again_ = false;              ///< the question that is under way is older than undecided_stop_
  std::optional<int> undecided_signal_;  ///< that has stopped the ranks, while the scheduler is asked why
  bool asked_about_signal_ = false;      ///< there was one
  bool stop_signal_came_ = false;        ///< the scheduler's, ahead of the time limit
  bool term_came_ = false;               ///< behind the stop signal
  EventLoop::TimerId look_timer_ = 0;
  std::optional<std::chrono::steady_clock::time_point> stop_began_;
  bool ended_ = false;
};

}  // namespace ddp::agent
