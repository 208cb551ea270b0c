#pragma once

#include <cstdint>
#include <vector>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// The step that the next attempt of a trainer resumes from; 0 if there is none.
[[nodiscard]] std::uint64_t find_resume_step(const RunFolder& folder, const LaunchPlan& plan);

/// The highest step that the ranks of earlier attempts of this submission have told; 0: none. `events` is the
/// whole ledger.
[[nodiscard]] std::uint64_t find_furthest_step(const std::vector<LedgerEvent>& events);

}  // namespace ddp::agent
