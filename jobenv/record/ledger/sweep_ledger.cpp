#include "jobenv/record/ledger/sweep_ledger.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/ledger/index_list.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"

namespace ddp {
namespace {

/// The task of the array that is for `point`, or -1.
int task_of(const event::SubmitIntent& intent, int point) {
  if (!intent.first_point) return -1;
  const int task = point - *intent.first_point;
  return task >= 0 && index_list_holds(intent.tasks, task) ? task : -1;
}

/// Selects the events of the sweep one by one, in the order of time.
class PointEvents {
 public:
  PointEvents(int point, const std::vector<LedgerEvent>& own, const std::vector<LedgerEvent>& sweep)
      : point_(point), own_(own), damaged_(std::ranges::any_of(sweep, may_hide_submission)) {
    for (const LedgerEvent& event : sweep) {
      if (const auto intent = as<event::SubmitIntent>(event)) submissions_.insert(intent->token);
    }
  }

  void add(const LedgerEvent& event) {
    if (is<event::DamagedLines>(event)) return selected_.push_back(event);  // it may be about any point
    const std::string token = token_of(event);
    if (const auto intent = as<event::SubmitIntent>(event)) {
      const int task = task_of(*intent, point_);
      if (task >= 0) tasks_[token] = {task, event.time};
    }
    const bool is_orphan = damaged_ && !token.empty() && !submissions_.contains(token);
    if (is<event::CancelRequested>(event) && is_orphan) return selected_.push_back(event);  // of any point
    const auto submission = tasks_.find(token);
    if (submission == tasks_.end()) return;
    if (const auto stop = as<event::SweepStopped>(event))
      return add_stop(event.time, *stop, submission->second.time);
    LedgerEvent selected = event;
    if (const std::string job = job_of(event); !job.empty())
      selected.fields["job_id"] = job + "_" + std::to_string(submission->second.task);
    selected_.push_back(std::move(selected));
  }

  std::vector<LedgerEvent> take() { return std::move(selected_); }

 private:
  struct Submission {
    int task = 0;
    std::chrono::system_clock::time_point time;
  };

  using Time = std::chrono::system_clock::time_point;
  void add_stop(Time time, const event::SweepStopped& stop, Time submitted) {
    const bool started = std::ranges::any_of(own_, [submitted](const LedgerEvent& own) {
      return is<event::HeadStarted>(own) && own.time > submitted;
    });
    if (started) return;
    selected_.push_back(
        make_ledger_event(time, event::RunEnded{.state = RunState::cancelled,
                                                .exit_code = static_cast<int>(ExitCode::interrupted),
                                                .message = stop.message}));
  }

  int point_;
  const std::vector<LedgerEvent>& own_;
  bool damaged_;                             // intents of the sweep may be lost
  std::set<std::string> submissions_;        // whose intents can be read, by token
  std::map<std::string, Submission> tasks_;  // by token
  std::vector<LedgerEvent> selected_;
};

}  // namespace

std::vector<LedgerEvent> select_point_events(const std::vector<LedgerEvent>& events, int point,
                                             const std::vector<LedgerEvent>& own) {
  PointEvents selection(point, own, events);
  for (const LedgerEvent& event : events) selection.add(event);
  return selection.take();
}

}  // namespace ddp
