#include "jobenv/record/ledger/sweep_ledger.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/ledger/index_list.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"
#include "jobenv/record/lenient_fields.hpp"

namespace ddp {
namespace {

using nlohmann::json;

/// The task of the array that is for `point`, or -1.
int task_of(const json& intent, int point) {
  const auto first = intent.find("first_point");
  if (first == intent.end() || !first->is_number_integer()) return -1;
  const int task = point - first->get<int>();
  return task >= 0 && index_list_holds(text_of(intent, "tasks"), task) ? task : -1;
}

/// Selects the events of the sweep one by one, in the order of time.
class PointEvents {
 public:
  PointEvents(int point, const std::vector<LedgerEvent>& own, const std::vector<LedgerEvent>& sweep)
      : point_(point), own_(own), damaged_(std::ranges::any_of(sweep, may_hide_submission)) {
    for (const LedgerEvent& event : sweep) {
      if (event.event == "submit_intent") submissions_.insert(text_of(event.fields, "token"));
    }
  }

  void add(const LedgerEvent& event) {
    if (event.event == kDamagedLines) return selected_.push_back(event);  // it may be about any point
    const std::string token = text_of(event.fields, "token");
    if (event.event == "submit_intent") {
      const int task = task_of(event.fields, point_);
      if (task >= 0) tasks_[token] = {task, event.time};
    }
    const bool is_orphan = damaged_ && !token.empty() && !submissions_.contains(token);
    if (event.event == "cancel_requested" && is_orphan) return selected_.push_back(event);  // of any point
    const auto submission = tasks_.find(token);
    if (submission == tasks_.end()) return;
    if (event.event == "sweep_stopped") return add_stop(event, submission->second.time);
    LedgerEvent selected = event;
    if (const std::string job = text_of(event.fields, "job_id"); !job.empty())
      selected.fields["job_id"] = job + "_" + std::to_string(submission->second.task);
    selected_.push_back(std::move(selected));
  }

  std::vector<LedgerEvent> take() { return std::move(selected_); }

 private:
  struct Submission {
    int task = 0;
    std::chrono::system_clock::time_point time;
  };

  void add_stop(const LedgerEvent& event, std::chrono::system_clock::time_point submitted) {
    const bool started = std::ranges::any_of(own_, [submitted](const LedgerEvent& own) {
      return own.event == "head_started" && own.time > submitted;
    });
    if (started) return;
    selected_.push_back({event.time,
                         "run_ended",
                         {{"state", "cancelled"},
                          {"exit_code", static_cast<int>(ExitCode::interrupted)},
                          {"message", text_of(event.fields, "message")}}});
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
