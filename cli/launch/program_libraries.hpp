#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// The loader that a program of this machine names for itself; empty: it is linked statically, is a script,
/// or cannot be read. Reads the head of the file.
[[nodiscard]] std::string find_program_loader(const std::filesystem::path& program);

/// The libraries that `program` would not find in `environment`. It is not run; without a loader there are
/// none.
[[nodiscard]] std::vector<std::string> find_missing_libraries(const std::filesystem::path& program,
                                                              const EnvMap& environment,
                                                              CommandRunner& runner);

}  // namespace ddp::cli
