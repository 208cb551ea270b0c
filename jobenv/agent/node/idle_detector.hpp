#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "jobenv/agent/node/activity_watch.hpp"
#include "jobenv/agent/node/judgement.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Reports the ranks of a command that do nothing, and those of them that work again. One that tells its
/// steps or phases is HangDetector's; one that a debugger holds is left alone. Does nothing for a trainer,
/// and for a plan without a hang_timeout.
class IdleDetector {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `report` is called from within look().
  IdleDetector(const LaunchPlan& plan, Report report);

  void watch(int rank);
  void forget(int rank);
  void forget_all();

  void begin_look(ActivityWatch::Time now) { activities_.begin_look(now); }
  /// `processes`: the rank's own and its descendants. `printed`: bytes, by the rank.
  void look(const RankReading& reading, std::span<const pid_t> processes, std::uint64_t printed);
  /// While the agent's own tool looks into the ranks, nothing that they do counts as work, and the tool does
  /// not count as a debugger.
  void hold(Judgement judgement);

 private:
  struct Rank {
    std::optional<ProcessState> told;
    bool was_held = false;
  };

  void judge(Rank& rank, const RankReading& reading);

  Report report_;
  std::optional<std::chrono::milliseconds> timeout_;
  ActivityWatch activities_;
  Judgement judgement_ = Judgement::open;
  std::map<int, Rank> ranks_;
};

}  // namespace ddp::agent
