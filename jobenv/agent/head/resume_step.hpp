#pragma once

#include <cstdint>

#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// The step that the next attempt of a trainer resumes from; 0 if there is none.
[[nodiscard]] std::uint64_t find_resume_step(const RunFolder& folder, const LaunchPlan& plan);

}  // namespace ddp::agent
