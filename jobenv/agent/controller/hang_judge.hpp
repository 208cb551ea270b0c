#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobenv/agent/controller/idle_ranks.hpp"
#include "jobenv/agent/controller/rank_places.hpp"
#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/controller/stalled_ranks.hpp"

namespace ddp::agent {

/// Finds out of the reports of agents whether the ranks of an attempt hang, and which of them is to blame:
/// first it collects the reports of one hang, then the stacks of all ranks, then it judges. Knows no clock.
class HangJudge {
 public:
  /// Instead of what was known of that rank. True: the reports of the others are to be waited for, from now
  /// on.
  [[nodiscard]] bool take(StalledRank rank);
  [[nodiscard]] bool take(IdleRank rank);
  /// It advances, or has ended. True: that ranks hang was told, and none seems to any more.
  [[nodiscard]] bool remove(int rank);

  /// All that hang have been heard of. True: the stacks of all ranks are wanted, of these agents.
  [[nodiscard]] bool begin_look(const std::vector<int>& living, std::set<AgentId> agents);
  /// True: this was the last answer that was awaited. One that is gone answers nothing.
  [[nodiscard]] bool take(AgentId agent, const StacksTaken& taken);
  [[nodiscard]] bool forget(AgentId agent);
  [[nodiscard]] bool looks() const { return looks_; }

  /// Ends the look. nullopt: nobody is known to hang.
  [[nodiscard]] std::optional<Failure> judge(const std::vector<int>& living);
  /// True: it has not been told yet. Told once, until all ranks advance again.
  [[nodiscard]] bool begin_telling() { return !std::exchange(told_, true); }

  [[nodiscard]] const StalledRanks& stalled() const { return stalled_; }

 private:
  [[nodiscard]] std::string render_places(const Failure& cause, const std::vector<int>& living) const;

  StalledRanks stalled_;
  IdleRanks idle_;
  RankPlaces places_;
  std::set<AgentId> awaited_;
  bool collecting_ = false;
  bool looks_ = false;
  bool told_ = false;
};

}  // namespace ddp::agent
