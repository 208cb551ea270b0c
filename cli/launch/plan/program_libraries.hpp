#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// The loader that a program of this machine names for itself; empty: it is linked statically, is a script,
/// or cannot be read. Reads the head of the file.
[[nodiscard]] std::string find_program_loader(const std::filesystem::path& program);

/// Has `loader` list what `program` needs, without running it. nullopt for a loader that is not known to do
/// that: another one might run the program. Pure.
[[nodiscard]] std::optional<CommandRequest> make_library_listing(const std::string& loader,
                                                                 const std::filesystem::path& program,
                                                                 const EnvMap& environment);

struct MissingLibraries {
  std::vector<std::string> names;
  std::string unknown_loader;  ///< not empty: it could not be asked, and there may be others
};

/// The libraries that `program` would not find in `environment`. It is not run; without a loader there are
/// none.
[[nodiscard]] MissingLibraries find_missing_libraries(const std::filesystem::path& program,
                                                      const EnvMap& environment, CommandRunner& runner);

}  // namespace ddp::cli
