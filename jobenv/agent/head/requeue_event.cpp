#include "jobenv/agent/head/requeue_event.hpp"

#include "jobenv/agent/controller/attempt_events.hpp"

namespace ddp::agent {
namespace {

std::string render_start_of_requeue(StopReason reason, const LauncherTraits& traits) {
  switch (reason) {
    case StopReason::time_limit:
      return "requeued at its time limit";
    case StopReason::preempted:
      return "preempted and requeued by " + traits.scheduler;
    case StopReason::requeued:
      return render_outside_requeue(traits);
    case StopReason::node_failed:
      return "requeued by " + traits.scheduler + " because a node failed";
    default:
      return "requeued by " + traits.scheduler;
  }
}

std::string render_requeue(const std::string& start, std::uint64_t step, int next_attempt) {
  return start + "; attempt " + std::to_string(next_attempt) +
         (step > 0 ? " resumes from step " + std::to_string(step) : " follows");
}

}  // namespace

event::Requeued describe_requeue(const LauncherTraits& traits, int attempt, StopReason reason,
                                 const RequeueContext& context, std::optional<std::uint64_t> last_step,
                                 const std::string& advice) {
  const std::uint64_t step = context.resumes_after;
  std::string message = render_requeue(render_start_of_requeue(reason, traits), step, attempt + 1);
  if (!advice.empty()) message += "; " + advice;
  return {.attempt = attempt,
          .reason = std::string(name_of(reason)),
          .step = step > 0 ? event::Step(step) : std::nullopt,
          .count = context.earlier_requeues + (reason == StopReason::time_limit ? 1 : 0),
          .lost_steps = count_lost_steps(last_step, step),
          .message = std::move(message)};
}

}  // namespace ddp::agent
