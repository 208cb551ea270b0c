#pragma once

#include <string>
#include <string_view>

#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp {

/// What the launcher's row in the command line says, which the agent's tests do not link.
inline LauncherTraits traits_for_test(std::string_view launcher) {
  if (launcher == "slurm")
    return {.scheduler = "Slurm",
            .requeue_command = "scontrol requeue",
            .time_limit = TimeLimitBy::scheduler,
            .setup = SetupPlace::batch_script,
            .stop = StopReaches::everyone};
  if (launcher == "ssh")
    return {.setup = SetupPlace::in_agents,
            .stop = StopReaches::record,
            .agents_started_by = AgentsStartedBy::submitter,
            .agents_return = true,
            .sees_end_of_agents = false,
            .names_hosts = true};
  return {};
}

/// As a plan of that launcher has it.
inline void use_launcher(LaunchPlan& plan, const std::string& name) {
  plan.launcher = name;
  plan.traits = traits_for_test(name);
}

}  // namespace ddp
