#include "jobenv/agent/attempt_events.hpp"

#include "jobenv/agent/lost_attempt.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;

json number_or_null(std::optional<std::uint64_t> number) {
  return number ? json(*number) : json();
}

}  // namespace

json describe_rank_exit(const ExitRecord& exit) {
  json fields = {{"rank", exit.rank},
                 {"host", exit.host},
                 {"ended_by", name_of(exit.ended_by)},
                 {"last_step", number_or_null(exit.last_step)},
                 {"phase", name_of(exit.phase)}};
  if (exit.code) fields["code"] = *exit.code;
  if (exit.signal) fields["signal"] = *exit.signal;
  return fields;
}

json describe_attempt_end(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  const RunEnd end = conclude(outcome, plan);
  return {{"outcome", name_of(end.state)},
          {"message", end.message},
          {"last_step", number_or_null(last_step_of(outcome))}};
}

json describe_restart(const AttemptOutcome& failure, const LaunchPlan& plan, int next_attempt,
                      std::optional<std::uint64_t> checkpoint) {
  json fields = {{"next_attempt", next_attempt},
                 {"message", conclude(failure, plan).message},
                 {"cause", to_json(*failure.cause)},
                 {"resumes_from", number_or_null(checkpoint)},
                 {"lost_steps", nullptr}};
  const auto last_step = last_step_of(failure);
  if (last_step && plan.program == ProgramKind::trainer)
    fields["lost_steps"] = count_lost_steps(last_step, checkpoint.value_or(0));
  return fields;
}

}  // namespace ddp::agent
