#pragma once

#include <map>
#include <string>

#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// The ranks of an attempt that MPI does not connect.
class LoneMpiRanks {
 public:
  /// Whether it is the second one: a single one may be alone on purpose.
  [[nodiscard]] bool add(const LoneMpiRank& rank);

  /// Which ones, of two or more, and what to set.
  [[nodiscard]] std::string describe(const LaunchPlan& plan) const;

 private:
  std::map<int, LoneMpiRank> ranks_;
};

}  // namespace ddp::agent
