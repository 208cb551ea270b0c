#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ddp/jobenv/progress_page.hpp"
#include "jobenv/agent/node/hang_watch.hpp"
#include "jobenv/agent/node/judgement.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

/// Looks at the pages of an agent's ranks while there are some, and reports those that hang, and those of
/// them that go on. Those of a command are looked at from the first phase or step on that they tell. Does
/// nothing for a plan without a hang_timeout.
class HangDetector {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `loop` must outlive this; `report` is called from within its handlers.
  HangDetector(EventLoop& loop, const LaunchPlan& plan, Report report);
  HangDetector(const HangDetector&) = delete;
  HangDetector& operator=(const HangDetector&) = delete;
  ~HangDetector() { forget_all(); }

  /// `page` must live until its rank is forgotten.
  void watch(int rank, pid_t pid, const ProgressPage& page);
  void forget(int rank);
  void forget_all();
  /// While tools of ours look into the ranks, which stops them, nobody is judged.
  void hold_judgement(Judgement judgement) { judgement_ = judgement; }

 private:
  struct Rank {
    pid_t pid;
    const ProgressPage* page;
    bool watched = false;
    std::optional<RankStalled> told = {};
  };

  void begin_watch(int number, Rank& rank, HangWatch::Time now);
  void look_later();
  void look();
  void judge(int number, Rank& rank);
  void tell(Rank& rank, const RankStalled& stalled);

  EventLoop& loop_;
  Report report_;
  ProgramKind program_;
  std::optional<HangWatch> watch_;
  Judgement judgement_ = Judgement::open;
  std::map<int, Rank> ranks_;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace ddp::agent
