#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "ddp/jobenv/progress_page.hpp"
#include "jobenv/agent/node/idle_detector.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/gpu_monitor.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

/// Looks at the ranks of an agent while there are some, and reports what has changed since the last look, and
/// those that do nothing.
class RankObserver {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `loop` must outlive this; `report` is called from within its handlers.
  RankObserver(EventLoop& loop, const LaunchPlan& plan, const Report& report)
      : loop_(loop), interval_(plan.waits.live), report_(report), idle_detector_(plan, report) {
    if (plan.gpus_per_node > 0) gpus_.emplace();
  }
  RankObserver(const RankObserver&) = delete;
  RankObserver& operator=(const RankObserver&) = delete;
  ~RankObserver() { forget_all(); }

  /// `page` must live until its rank is forgotten. `logs`: the files that the rank prints into.
  void watch(int rank, pid_t pid, const ProgressPage& page, std::vector<std::filesystem::path> logs);
  void forget(int rank);
  void forget_all();

 private:
  struct Rank {
    pid_t pid;
    const ProgressPage* page;
    std::optional<RankReading> told;
  };

  void look_later();
  void look();

  EventLoop& loop_;
  std::chrono::milliseconds interval_;
  Report report_;
  IdleDetector idle_detector_;
  std::optional<GpuMonitor> gpus_;
  std::map<int, Rank> ranks_;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace ddp::agent
