#pragma once

#include <string>

#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::cli {

/// "python3 train.py --lr 0.1", as a shell takes it; the first 200 bytes or so.
[[nodiscard]] std::string render_command(const LaunchPlan& plan);

/// "2 nodes, on each 4 ranks and 4 GPUs; 8 CPUs a rank".
[[nodiscard]] std::string render_resources(const LaunchPlan& plan);

}  // namespace ddp::cli
