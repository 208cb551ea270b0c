#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// The folders in which a Python that is installed in `prefix` looks for packages, such as
/// lib/python3.12/site-packages, those of the newest Python first. A virtual environment that was made with
/// --system-site-packages also looks in those of the Python that it was made with.
[[nodiscard]] std::vector<std::filesystem::path> package_folders(const std::filesystem::path& prefix);

/// The file that `program`, a name, means in the virtual environment or the conda environment that is active
/// in `submitter`. nullopt: none is, or PATH finds the program elsewhere.
[[nodiscard]] std::optional<std::filesystem::path> program_of_active_environment(const std::string& program,
                                                                                 const EnvMap& submitter);

}  // namespace ddp::cli
