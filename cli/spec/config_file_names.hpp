#pragma once

#include <filesystem>
#include <string>

namespace ddp::cli {

/// "did you mean 'first.yaml'?" for a configuration file that is not there, `file`, an absolute path, which
/// the user calls `name`: the nearest YAML file of its folder. Empty: there is none.
[[nodiscard]] std::string suggest_config_file(const std::filesystem::path& file, const std::string& name);

}  // namespace ddp::cli
