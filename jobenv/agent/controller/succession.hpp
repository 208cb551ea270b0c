#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "jobenv/agent/controller/restart_policy.hpp"
#include "jobenv/agent/controller/run_verdict.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// What follows an attempt that has ended: another one, or the end of the run. The plan that its functions
/// take has the nodes of that attempt.
class Succession {
 public:
  explicit Succession(const LaunchPlan& plan) : restarts_(plan) {}

  /// An attempt has ended: all that follows is about it.
  void take(const AttemptOutcome& outcome) { outcome_ = outcome; }
  /// A stop that came after the failure keeps another attempt from following.
  void take_stop(const StopWanted& stop) { outcome_.stop = stop; }

  [[nodiscard]] bool has_failed(const LaunchPlan& plan) const {
    return kind_of(outcome_, plan) == OutcomeKind::failed;
  }
  /// Counts the failure, as RestartPolicy does. `checkpoint`: the step of the newest one, if there is one.
  [[nodiscard]] RestartPolicy::Decision decide(std::optional<std::uint64_t> checkpoint,
                                               const LaunchPlan& plan);
  /// The restart that decide() has decided upon.
  [[nodiscard]] event::Restarting describe_next(int next_attempt, const LaunchPlan& plan) const;

  /// The end of the run, whose words end with `remark`. `unconfirmed`: the hosts that have not said that
  /// nothing is left on them.
  [[nodiscard]] RunEnd end_run(std::set<std::string> unconfirmed, const std::string& remark,
                               const LaunchPlan& plan);

 private:
  RestartPolicy restarts_;
  AttemptOutcome outcome_;
  std::optional<std::uint64_t> checkpoint_;
};

}  // namespace ddp::agent
