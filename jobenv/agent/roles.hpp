#pragma once

#include <functional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/arguments.hpp"

namespace ddp::agent {

/// Runs the role that `arguments` name; returns the exit code of the process. `log` takes lines for a person.
[[nodiscard]] int run_role(const Arguments& arguments, const EnvMap& env,
                           const std::function<void(const std::string& line)>& log);

}  // namespace ddp::agent
