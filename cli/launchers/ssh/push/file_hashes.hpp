#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// The SHA-256 of files, by path, in hex: by sha256sum, once for each state of a file, as size and time of
/// its last change tell it. Remembers them in the user's cache.
[[nodiscard]] Expected<std::map<std::filesystem::path, std::string>> hash_files(
    const std::vector<std::filesystem::path>& files, const EnvMap& user, CommandRunner& runner);

/// As they are now, whatever was remembered; what cannot be read is left out.
[[nodiscard]] Expected<std::map<std::filesystem::path, std::string>> hash_files_now(
    const std::vector<std::filesystem::path>& files, const EnvMap& user, CommandRunner& runner);

}  // namespace ddp::cli
