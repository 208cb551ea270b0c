#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
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

  /// A rank has ended: what was no hang may be one now.
  [[nodiscard]] bool begin_again() { return !idle_.empty() && !std::exchange(collecting_, true); }

  /// All that hang have been heard of. True: the stacks of all ranks are wanted, of these agents, under the
  /// name of look_id(). Nobody is looked at twice in the same condition.
  [[nodiscard]] bool begin_look(const std::vector<int>& living, std::set<AgentId> agents);
  [[nodiscard]] std::string look_id() const { return kStacksOfHang + std::to_string(look_); }
  /// True: this was the last answer that was awaited. One that is gone answers nothing.
  [[nodiscard]] bool take(AgentId agent, const StacksTaken& taken);
  [[nodiscard]] bool forget(AgentId agent);
  [[nodiscard]] bool looks() const { return looks_; }

  /// Ends the look. nullopt: nobody is known to hang.
  [[nodiscard]] std::optional<IdleRanks::Verdict> judge(const std::vector<int>& living);
  /// True: it has not been told yet. Told once, until all ranks advance again.
  [[nodiscard]] bool begin_telling() { return !std::exchange(told_, true); }

  [[nodiscard]] const StalledRanks& stalled() const { return stalled_; }

 private:
  [[nodiscard]] std::string render_places(const Failure& cause, const std::vector<int>& living) const;

  StalledRanks stalled_;
  IdleRanks idle_;
  RankPlaces places_;
  std::set<AgentId> awaited_;
  std::tuple<std::vector<int>, std::vector<int>, std::vector<int>> looked_at_;  ///< living, idle, stopped
  int look_ = 0;
  bool collecting_ = false;
  bool looks_ = false;
  bool told_ = false;
};

}  // namespace ddp::agent
