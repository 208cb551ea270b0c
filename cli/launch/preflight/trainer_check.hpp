#pragma once

#include "cli/launch/launcher.hpp"
#include "cli/launch/plan/launch_plan_builder.hpp"
#include "cli/spec/run_spec.hpp"
#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// Has a trainer other than ddptrain check the configuration by its own code, with --check-config; of a sweep
/// the first point. An error with what it says. Nothing for ddptrain, whose checks ddpsubmit has itself, and
/// where lines of `setup` or variables under `set` may be needed to start the program.
[[nodiscard]] Preflight check_by_trainer(const RunSpec& spec, const PlanPaths& paths,
                                         const EnvMap& environment, CommandRunner& runner);

}  // namespace ddp::cli
