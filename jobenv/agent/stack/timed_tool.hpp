#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::agent {

/// Runs a tool and returns what it printed on stdout and stderr; nullopt: it could not be started, failed,
/// or had not ended by the deadline, at which it is killed. Blocks. argv[0] is looked up in PATH of
/// `environment`.
[[nodiscard]] std::optional<std::string> run_timed(std::vector<std::string> argv, const EnvMap& environment,
                                                   std::chrono::steady_clock::time_point deadline);

}  // namespace ddp::agent
