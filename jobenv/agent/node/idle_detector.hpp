#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "jobenv/agent/node/activity_watch.hpp"
#include "jobenv/agent/process/process_usage.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Reports the ranks of a command that do nothing, and those of them that work again. One that tells its
/// steps or phases is HangDetector's; one that a debugger holds is left alone. Does nothing for a trainer,
/// and for a plan without a hang_timeout.
class IdleDetector {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `report` is called from within look() and forget().
  IdleDetector(const LaunchPlan& plan, Report report);

  /// `logs`: the files that the rank prints into.
  void watch(int rank, pid_t pid, std::vector<std::filesystem::path> logs);
  void forget(int rank);
  void forget_all();

  void begin_look(ActivityWatch::Time now) { activities_.begin_look(now); }
  void look(const RankReading& reading, const ProcessUsage& usage);

 private:
  struct Rank {
    pid_t pid = 0;
    std::vector<std::filesystem::path> logs;
    std::optional<ProcessState> told;
  };

  void judge(Rank& rank, const RankReading& reading);

  Report report_;
  std::optional<std::chrono::milliseconds> timeout_;
  ActivityWatch activities_;
  std::map<int, Rank> ranks_;
};

}  // namespace ddp::agent
