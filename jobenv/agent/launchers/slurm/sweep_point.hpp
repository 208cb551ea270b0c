#pragma once

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// The point of a sweep that this task of a Slurm array stands for.
[[nodiscard]] Expected<int> find_slurm_point(const EnvMap& env);

}  // namespace ddp::agent
