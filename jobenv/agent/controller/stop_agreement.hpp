#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "jobenv/agent/controller/run_event.hpp"

namespace ddp::agent {

/// Finds the step after which the ranks of a command stop: all agents hold theirs and tell the newest step,
/// and none can go beyond the one after it. Knows no clock.
class StopAgreement {
 public:
  /// `agents` were told to hold their ranks.
  void begin(std::set<AgentId> agents);
  [[nodiscard]] bool is_under_way() const { return !awaited_.empty(); }
  /// All have answered, and all ranks heed their pages: they wait.
  [[nodiscard]] bool is_reached() const { return begun_ && awaited_.empty() && all_heed_; }

  /// True: this was the last answer that was awaited. One that is gone answers nothing.
  [[nodiscard]] bool take(AgentId agent, const RanksHeld& held);
  [[nodiscard]] bool forget(AgentId agent);

  /// What to tell the agents when all have answered; `signal` stands for the request. StopRanks: some ranks
  /// do not heed their pages.
  [[nodiscard]] HeadMessage verdict(int signal) const;

 private:
  bool begun_ = false;
  std::set<AgentId> awaited_;
  bool all_heed_ = true;
  std::optional<std::uint64_t> newest_step_;
};

}  // namespace ddp::agent
