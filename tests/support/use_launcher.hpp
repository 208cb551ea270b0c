#pragma once

#include <string>

#include "jobenv/record/launch_plan.hpp"

namespace ddp {

/// As ddpsubmit plans a run of that launcher.
inline void use_launcher(LaunchPlan& plan, const std::string& name) {
  plan.launcher = name;
  plan.traits = traits_of_earlier_launcher(name).value();
}

}  // namespace ddp
