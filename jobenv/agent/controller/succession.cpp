#include "jobenv/agent/controller/succession.hpp"

#include <utility>

#include "jobenv/agent/controller/attempt_events.hpp"

namespace ddp::agent {

RestartPolicy::Decision Succession::decide(std::optional<std::uint64_t> checkpoint, const LaunchPlan& plan) {
  checkpoint_ = checkpoint;
  return restarts_.decide(outcome_, conclude(outcome_, plan).message, checkpoint_);
}

event::Restarting Succession::describe_next(int next_attempt, const LaunchPlan& plan) const {
  return describe_restart(outcome_, plan, next_attempt, checkpoint_);
}

RunEnd Succession::end_run(std::set<std::string> unconfirmed, const std::string& remark,
                           const LaunchPlan& plan) {
  outcome_.unconfirmed = std::move(unconfirmed);
  RunEnd end = conclude(outcome_, plan);
  if (end.state == RunState::succeeded) end.message += restarts_.render_restarts();
  if (outcome_.stop && outcome_.records.empty()) end.message += restarts_.render_last_failure();
  end.message += remark;
  end.taken_back = outcome_.stop && is_taken_back(outcome_.stop->reason);
  return end;
}

}  // namespace ddp::agent
