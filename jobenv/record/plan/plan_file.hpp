#pragma once

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// The plan.json of `folder`, wherever it was written for. All errors are ExitCode::config_invalid.
[[nodiscard]] Expected<LaunchPlan> read_plan(const RunFolder& folder);

/// The plan.json of `folder`. Refuses one that was written for another folder: its paths would lead there.
/// All errors are ExitCode::config_invalid.
[[nodiscard]] Expected<LaunchPlan> load_plan(const RunFolder& folder);

}  // namespace ddp
