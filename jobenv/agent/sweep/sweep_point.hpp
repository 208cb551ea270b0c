#pragma once

#include <filesystem>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// The run folder that head is for: `run_dir`, or when that is the folder of a sweep, the one of the point
/// that this task of the Slurm array stands for.
[[nodiscard]] Expected<std::filesystem::path> resolve_point(const std::filesystem::path& run_dir,
                                                            const EnvMap& env);

}  // namespace ddp::agent
