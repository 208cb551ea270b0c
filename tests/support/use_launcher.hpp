#pragma once

#include <string>

#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp {

/// As a plan of that launcher has it.
inline void use_launcher(LaunchPlan& plan, const std::string& name) {
  plan.launcher = name;
  plan.traits = traits_of_earlier_launcher(name).value();
}

}  // namespace ddp
