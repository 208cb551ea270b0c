#pragma once

#include <string>

#include "cli/launch/plan/launch_plan_builder.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// The run that tries out the nodes for `spec`: the same resources, the same options for the launcher, the
/// same environment and ranks, which run `ddp-agent probe` in place of the program; no mail, no notify, no
/// secrets, five minutes at most. `trainer` is ddptrain, empty when there is none. Pure.
[[nodiscard]] RunSpec make_probe_spec(RunSpec spec, const std::string& agent, const std::string& trainer);

}  // namespace ddp::cli
