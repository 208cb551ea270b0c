#pragma once

#include <vector>

#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// The signals that head and agents take: whatever can mean a stop, and what must not end them.
[[nodiscard]] std::vector<int> signals_taken(const LaunchPlan& plan);

}  // namespace ddp::agent
