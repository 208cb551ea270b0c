#pragma once

#include <filesystem>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// The folder of the run that head is started for. A job that holds several points of a sweep starts each
/// head with the folder of the sweep, and the launcher tells from `environment` which point it is.
[[nodiscard]] Expected<std::filesystem::path> resolve_point_folder(const std::filesystem::path& run_dir,
                                                                   const EnvMap& environment);

}  // namespace ddp::agent
