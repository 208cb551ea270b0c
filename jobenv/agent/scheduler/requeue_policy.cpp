#include "jobenv/agent/scheduler/requeue_policy.hpp"

#include <csignal>

#include "jobenv/record/events/events.hpp"

namespace ddp::agent {
namespace {

/// For head to ask for the requeue, and to end, before the scheduler ends it.
constexpr std::chrono::seconds kToSpare{20};

/// Between two questions to a scheduler that does not answer, and to one that knows of no lost node yet.
constexpr std::chrono::seconds kSilencePause{2};
constexpr std::chrono::seconds kNodePause{5};
/// Twice the default of SlurmdTimeout: nodes are not held for longer for what may be no more than a killed
/// agent.
constexpr std::chrono::seconds kPatience{600};
/// With a silent scheduler after a failure that no lost node explains: the scheduler rarely has a say in it.
constexpr std::chrono::seconds kPatienceAfterFailure{60};

/// TERM at the time limit is the end itself: it announces nothing.
bool announced(const RunEnd& end) {
  return end.state == RunState::timed_out && end.stop_signal != 0 && end.stop_signal != SIGTERM;
}

/// A third one would end in the same way.
constexpr int kMostFutileAttempts = 2;

/// What speaks against a requeue at the time limit; empty: nothing.
std::string find_objection(const RunEnd& end, const LaunchPlan& plan, const RequeueContext& context) {
  if (plan.max_requeues && context.earlier_requeues >= *plan.max_requeues)
    return "fault_tolerance.max_requeues (" + std::to_string(*plan.max_requeues) + ") is reached";
  if (plan.program == ProgramKind::trainer && !plan.resumes)
    return "train.checkpoint.resume is 'never': the training would start from the beginning";
  if (context.futile_attempts >= kMostFutileAttempts)
    return "the attempt before ended in the same way, and neither reported a step, so the program seems to "
           "begin anew each time; save a checkpoint and exit at " +
           end.unhandled_signal + ", or call should_stop() (docs/frameworks.md)";
  if (plan.program == ProgramKind::command && end.last_step && *end.last_step <= context.began_after)
    return "no step was finished since this start of the job, which resumed from step " +
           std::to_string(context.began_after);
  if (plan.program == ProgramKind::trainer && context.resumes_after <= context.began_after) {
    return "no checkpoint was written since this start of the job" +
           (context.began_after > 0 ? ", which resumed from step " + std::to_string(context.began_after)
                                    : std::string());
  }
  return {};
}

RequeueDecision refuse(RunEnd end, const std::string& why) {
  end.message += ". Not requeued: " + why;
  return {RequeueStep::end, std::move(end)};
}

RequeueDecision cancel(RunEnd end) {
  end.state = RunState::cancelled;
  end.exit_code = static_cast<int>(ExitCode::terminated);
  end.message += ". Not requeued: the job was cancelled in the meantime";
  return {RequeueStep::end, std::move(end)};
}

RequeueDecision give_way(RunEnd end, const std::string& why) {
  end.state = RunState::preempted;
  return refuse(std::move(end), why);
}

std::chrono::seconds patience_after(const RunEnd& end) {
  return end.state == RunState::failed && !end.agent_lost ? kPatienceAfterFailure : kPatience;
}

/// Its own failure, whatever happens to the job.
bool is_of_a_rank(const RunEnd& end) {
  return end.state == RunState::failed && !end.agent_lost && end.cause && end.cause->rank;
}

RequeueDecision decide_at_time_limit(RunEnd end, const LaunchPlan& plan, const RequeueContext& context) {
  if (context.fate == JobFate::unknown)
    return refuse(std::move(end), plan.traits.scheduler + " does not answer");
  if (context.fate == JobFate::evicted || context.fate == JobFate::giving_way)
    return give_way(std::move(end), "the job was preempted in the meantime");
  if (context.fate != JobFate::running || context.terminated) {
    return context.time_is_over ? refuse(std::move(end), "the time limit had passed")
                                : cancel(std::move(end));
  }
  if (!context.end_is_near)
    return refuse(std::move(end), "the stop signal did not come from the time limit, which is not near");
  if (const auto objection = find_objection(end, plan, context); !objection.empty())
    return refuse(std::move(end), objection);
  return {RequeueStep::requeue, std::move(end), StopReason::time_limit};
}

/// After the stop signal it is the program that requeues its job, as Lightning does.
StopReason reason_when_taken_back(const RunEnd& end, const RequeueContext& context) {
  const bool by_program = announced(end) && context.taken_back_for == StopReason::requeued;
  return by_program ? StopReason::time_limit : context.taken_back_for;
}

std::string in_seconds(std::chrono::seconds time) {
  return std::to_string(time.count()) + "s";
}

}  // namespace

bool may_go_on(const RunEnd& end, const LaunchPlan& plan) {
  return plan.requeue && end.state != RunState::succeeded;
}

bool would_go_on(const RunEnd& end, const LaunchPlan& plan, bool job_taken_back) {
  return plan.requeue && (end.taken_back || announced(end) || (end.agent_lost && job_taken_back));
}

std::optional<std::chrono::seconds> pause_before_next_question(const RunEnd& end, JobFate fate,
                                                               const QuestionContext& context) {
  if (context.time_is_over || context.waited >= patience_after(end)) return std::nullopt;
  if (fate == JobFate::unknown && (context.terminated || !is_of_a_rank(end))) return kSilencePause;
  const bool may_have_lost_a_node = end.state == RunState::failed && end.agent_lost;
  if (fate == JobFate::running && may_have_lost_a_node && !context.terminated) return kNodePause;
  return std::nullopt;
}

std::string render_wait(const RunEnd& end, JobFate fate, const LaunchPlan& plan, const std::string& tool) {
  const std::string what = fate == JobFate::running
                               ? " to notice a lost node: it still reports that the job runs"
                               : " to say whether it requeues the job: " + tool + " does not answer";
  return "waiting up to " + std::to_string(patience_after(end).count()) + " s for " + plan.traits.scheduler +
         what;
}

RequeueDecision decide_requeue(RunEnd end, const LaunchPlan& plan, const RequeueContext& context) {
  if (context.fate == JobFate::taken_back) {
    const auto reason = reason_when_taken_back(end, context);
    return {RequeueStep::leave, std::move(end), reason};
  }
  const bool ended_for_good = end.state == RunState::cancelled || is_of_a_rank(end);
  if (context.fate == JobFate::giving_way && !context.terminated && !ended_for_good)
    return {RequeueStep::requeue, std::move(end), StopReason::preempted};
  if (announced(end)) return decide_at_time_limit(std::move(end), plan, context);
  if (end.state == RunState::preempted && context.fate == JobFate::ending && !context.time_is_over)
    return cancel(std::move(end));
  if (end.state == RunState::preempted && context.fate == JobFate::evicted)
    return refuse(std::move(end), "its grace time had passed");
  return {RequeueStep::end, std::move(end)};
}

int count_requeues_at_limit(const std::vector<LedgerEvent>& events) {
  int count = 0;
  for (const LedgerEvent& event : events) {
    if (is<event::SubmitIntent>(event)) count = 0;
    const auto requeue = as<event::Requeued>(event);
    if (requeue && requeue->reason == name_of(StopReason::time_limit)) ++count;
  }
  return count;
}

int count_futile_attempts(const std::vector<LedgerEvent>& events) {
  int count = 0;
  for (const LedgerEvent& event : events) {
    if (is<event::SubmitIntent>(event)) count = 0;
    const auto ended = as<event::AttemptEnded>(event);
    if (!ended) continue;
    const bool futile = ended->outcome == name_of(RunState::timed_out) && !ended->unhandled_signal.empty() &&
                        !ended->last_step;
    count = futile ? count + 1 : 0;
  }
  return count;
}

std::string warn_of_unhandled_signal(const RunEnd& end, const RequeueContext& context) {
  if (end.unhandled_signal.empty()) return {};
  return "all ranks died of " + end.unhandled_signal +
         ", for which the program has no handler, and saved nothing at the stop" +
         (context.futile_attempts > 0 ? "; if this happens again, the run ends" : "");
}

std::optional<int> find_last_word(const std::vector<LedgerEvent>& events) {
  std::optional<int> code;
  int newest = -1;
  for (const LedgerEvent& event : events) {
    if (is<event::SubmitIntent>(event)) code.reset();
    if (const auto head = as<event::HeadStarted>(event)) {
      newest = head->attempt.value_or(newest);
      code.reset();  // behind a last word it is that of a later submission, whose intent may be lost
    }
    const auto ended = as<event::RunEnded>(event);
    const bool is_newest =
        ended && ended->attempt.value_or(newest) >= newest;      // else head knew of no later one
    if (is_newest && ended->exit_code) code = ended->exit_code;  // what only looks at the job writes none
  }
  return code;
}

std::optional<int> find_last_word_of(const std::string& token, const std::vector<LedgerEvent>& events) {
  std::optional<int> code;
  std::optional<int> attempt;
  for (const LedgerEvent& event : events) {
    const auto head = as<event::HeadStarted>(event);
    if (head && !token.empty() && head->token == token) attempt = head->attempt;
    const auto ended = as<event::RunEnded>(event);
    if (ended && attempt && ended->attempt == attempt) code = ended->exit_code;
  }
  return code;
}

std::string advise_signal_lead(const RunEnd& end, const LaunchPlan& plan, std::chrono::seconds taken) {
  if (!announced(end) || (end.killed == 0 && taken <= plan.signal_lead)) return {};
  const auto checkpoint = std::chrono::ceil<std::chrono::seconds>(
      std::chrono::milliseconds(end.checkpoint_milliseconds.value_or(0)));
  const auto needed = (end.killed > 0 ? plan.signal_lead + checkpoint : taken) + kToSpare;
  const std::string what = checkpoint.count() > 0
                               ? "the last checkpoint took " + std::to_string(checkpoint.count())
                               : "the ranks did not stop within " + std::to_string(taken.count());
  return what + " s, but fault_tolerance.signal_lead is " + in_seconds(plan.signal_lead) +
         "; set it to at least " + in_seconds(needed);
}

}  // namespace ddp::agent
