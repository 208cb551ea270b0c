#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ddp/jobenv/progress_page.hpp"
#include "jobenv/agent/node/gpu_watch.hpp"
#include "jobenv/agent/node/idle_detector.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

/// Looks at the ranks of an agent while there are some, and reports what has changed since the last look, and
/// those that do nothing.
class RankObserver {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// How many bytes a rank has printed.
  using CountPrinted = std::function<std::uint64_t(int rank)>;

  /// `loop` must outlive this; `report` is called from within its handlers. `environment`: of the tools.
  RankObserver(EventLoop& loop, const LaunchPlan& plan, const EnvMap& environment, const Report& report,
               CountPrinted count_printed);
  RankObserver(const RankObserver&) = delete;
  RankObserver& operator=(const RankObserver&) = delete;
  ~RankObserver() { forget_all(); }

  /// `page` must live until its rank is forgotten.
  void watch(int rank, pid_t pid, const ProgressPage& page);
  void forget(int rank);
  void forget_all();
  /// While tools of ours look into the ranks, nobody is judged by what they do.
  void hold_judgement(Judgement judgement) { idle_detector_.hold(judgement); }

 private:
  struct Rank {
    pid_t pid;
    const ProgressPage* page;
    std::optional<RankReading> told;
    bool told_twice = false;  ///< the second time says that it uses no CPU time now
  };

  void look_later();
  void look();

  EventLoop& loop_;
  std::chrono::milliseconds interval_;
  Report report_;
  IdleDetector idle_detector_;
  CountPrinted count_printed_;
  std::optional<GpuWatch> gpus_;
  std::map<int, Rank> ranks_;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace ddp::agent
