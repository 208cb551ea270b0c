#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "jobenv/agent/head/head_records.hpp"
#include "jobenv/agent/head/lost_nodes.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/scheduler/job_inquiry.hpp"
#include "jobenv/agent/scheduler/requeue_policy.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// What head knows when the ranks have ended.
struct EndOfRanks {
  RunEnd end;
  std::optional<std::chrono::system_clock::time_point> deadline;    ///< of the job
  std::optional<std::chrono::steady_clock::time_point> stop_began;  ///< the signal that the ranks left after
  bool terminated = false;                                          ///< head was sent TERM
  std::uint64_t began_after = 0;  ///< step of the newest checkpoint when head started
};

/// Who has the last word on the run.
enum class LastWord { of_this_head, of_next_attempt };

/// What follows the end of the ranks: finds out what the scheduler does with the job, and has it started
/// again where the run goes on in another start. Single-threaded, on head's loop.
class RunEnding {
 public:
  using OnDone = std::function<void(const RunEnd& end, LastWord last_word)>;

  /// All but the functions must outlive it. `on_done` is called once.
  RunEnding(EventLoop& loop, const LaunchPlan& plan, HeadRecords& records, JobInquiry& inquiry,
            LostNodes& lost_nodes, HeadRecords::Log log, OnDone on_done);

  void begin(EndOfRanks end_of_ranks);
  /// Head was sent TERM after the end of the ranks.
  void on_term();

 private:
  void ask();
  void consider(JobFate fate);
  void note_wait(JobFate fate);
  void decide(JobFate fate);
  void leave(StopReason reason);
  void request_requeue();
  [[nodiscard]] bool may_still_requeue();
  void note_requeue(StopReason reason, const RequeueContext& context, const std::string& advice);
  void on_requeue_answer(const ToolAnswer& answer);
  void ask_whether_requeued(const std::string& words);
  void consider_requeue(JobFate fate, const std::string& words);
  void on_requeue_refused(const std::string& words);
  void close(LastWord last_word = LastWord::of_this_head);

  [[nodiscard]] RunEnd make_final(RunEnd end) const;
  [[nodiscard]] std::string render_advice() const;
  [[nodiscard]] QuestionContext question_context() const;
  [[nodiscard]] bool end_is_near() const;

  EventLoop& loop_;
  const LaunchPlan& plan_;
  HeadRecords& records_;
  JobInquiry& inquiry_;
  LostNodes& lost_nodes_;
  HeadRecords::Log log_;
  OnDone on_done_;
  EndOfRanks ranks_;
  RunEnd end_;                                   ///< with what is said of it here
  std::chrono::steady_clock::time_point ended_;  ///< the ranks
  bool asking_ = false;                          ///< what the scheduler does with the job
  EventLoop::TimerId question_timer_ = 0;        ///< until it is asked again
  std::optional<JobFate> waited_for_;            ///< what has been told last
  int requeue_requests_ = 0;
};

}  // namespace ddp::agent
