#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/scheduler/job_fate.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// What counts beside the end itself when a run may go on in another start of its job.
struct RequeueContext {
  JobFate fate = JobFate::unknown;
  bool terminated = false;          ///< head was sent TERM: whoever did it wants no requeue of ours
  bool time_is_over = false;        ///< the deadline has come
  bool end_is_near = true;          ///< as the scheduler has it: a stop signal announces it
  int earlier_requeues = 0;         ///< of this submission, at the time limit
  int futile_attempts = 0;          ///< in a row up to this one: count_futile_attempts()
  std::uint64_t began_after = 0;    ///< the step of the checkpoint that there was when head started
  std::uint64_t resumes_after = 0;  ///< that of the one that the next attempt goes on from
  StopReason taken_back_for = StopReason::taken_back;  ///< why, when it is taken back
};

/// What limits the patience with the scheduler.
struct QuestionContext {
  bool terminated = false;         ///< head was sent TERM: the scheduler has decided
  bool time_is_over = false;       ///< the deadline has come
  std::chrono::seconds waited{0};  ///< since the end of the ranks
};

enum class RequeueStep {
  end,      ///< the run ends with its last word
  requeue,  ///< head asks the scheduler to start the job again
  leave,    ///< the scheduler starts it again by itself
};

struct RequeueDecision {
  RequeueStep step = RequeueStep::end;
  RunEnd end;                                  ///< with what keeps the run from going on in its message
  StopReason reason = StopReason::time_limit;  ///< of the requeue
};

/// Whether the scheduler has to be asked about its job before this end is the last word on the run.
[[nodiscard]] bool may_go_on(const RunEnd& end, const LaunchPlan& plan);

/// Whether it is only a cancel that keeps the run from going on in another start of its job.
/// `job_taken_back`: the scheduler was about to start it again.
[[nodiscard]] bool would_go_on(const RunEnd& end, const LaunchPlan& plan, bool job_taken_back);

/// For how long the scheduler is left to itself before it is asked again about the job of `end`; nullopt: its
/// answer `fate` counts. It may not answer, and it may not have noticed yet that a node is dead
/// (SlurmdTimeout).
[[nodiscard]] std::optional<std::chrono::seconds> pause_before_next_question(const RunEnd& end, JobFate fate,
                                                                             const QuestionContext& context);

/// "waiting for Slurm to …, for 600 s at most": what the nodes are held for meanwhile. `tool` is what asks
/// the scheduler.
[[nodiscard]] std::string render_wait(const RunEnd& end, JobFate fate, const LaunchPlan& plan,
                                      const std::string& tool);

/// Head requeues after the signal that announces the time limit and while the job gives way to another one,
/// and only then: a job that somebody has cancelled never comes back through it.
[[nodiscard]] RequeueDecision decide_requeue(RunEnd end, const LaunchPlan& plan,
                                             const RequeueContext& context);

/// How often the newest submission was requeued at its time limit; `events` is the whole ledger.
[[nodiscard]] int count_requeues_at_limit(const std::vector<LedgerEvent>& events);

/// How many attempts in a row, up to the newest one, died of the stop signal at the time limit and reported
/// no step: each of them may have begun anew. `events` is the whole ledger.
[[nodiscard]] int count_futile_attempts(const std::vector<LedgerEvent>& events);

/// What is said at a requeue when the ranks died of the stop signal; empty: they did not.
[[nodiscard]] std::string warn_of_unhandled_signal(const RunEnd& end, const RequeueContext& context);

/// The code that an earlier head of the newest submission has ended with, when it has spoken the last word on
/// the run; `events` is the whole ledger.
[[nodiscard]] std::optional<int> find_last_word(const std::vector<LedgerEvent>& events);
/// The exit code with which another job of the submission `token` has ended the run; nullopt: none has. A
/// site's own sbatch may have submitted it twice.
[[nodiscard]] std::optional<int> find_last_word_of(const std::string& token,
                                                   const std::vector<LedgerEvent>& events);

/// "the last checkpoint took 74 s, fault_tolerance.signal_lead is 60s: set at least 94s"; empty when the
/// ranks had time enough. `taken`: from the stop signal until all ranks were gone.
[[nodiscard]] std::string advise_signal_lead(const RunEnd& end, const LaunchPlan& plan,
                                             std::chrono::seconds taken);

}  // namespace ddp::agent
