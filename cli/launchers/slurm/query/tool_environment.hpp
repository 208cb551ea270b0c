#pragma once

#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// What Slurm's own programs do not get, besides what no job gets: the start of names and a '*'.
[[nodiscard]] std::vector<std::string> scrubbed_tool_variables();

/// What Slurm's own programs get: `environment` without the variables that stand in for their options, and
/// with what tells them the cluster and the user: SLURM_CONF, SLURM_CONF_SERVER, SLURM_CLUSTERS, SLURM_JWT.
/// Pure.
[[nodiscard]] EnvMap slurm_tool_environment(const EnvMap& environment, const EnvMap& submitter);

}  // namespace ddp::cli
