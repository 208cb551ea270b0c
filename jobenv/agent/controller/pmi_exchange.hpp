#pragma once

#include <cstddef>
#include <set>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/protocol/pmi_pairs.hpp"

namespace ddp::agent {

/// PMI's barrier over all agents of an attempt: gathers what their ranks have put, for all of them.
class PmiExchange {
 public:
  /// Whether there is room for it.
  [[nodiscard]] bool put(const PmiPairs& pairs);

  /// All ranks of this agent wait. Whether those of all `agents` of the attempt do now.
  [[nodiscard]] bool arrive(AgentId agent, std::size_t agents);

  /// Ends the barrier: what was put in it.
  [[nodiscard]] PmiPairs finish();

 private:
  PmiPairs pairs_;
  std::set<AgentId> arrived_;
  std::size_t size_ = 0;  ///< of all that was put in the attempt
};

}  // namespace ddp::agent
