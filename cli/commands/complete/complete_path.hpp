#pragma once

#include <string>

#include "cli/commands/command.hpp"
#include "cli/commands/complete/candidate.hpp"

namespace ddp::cli {

enum class Wanted { yaml_files, folders, files };

/// Files that are wanted, and the folders on the way to them; `begin` is relative to the current folder,
/// absolute, or begins with "~/".
[[nodiscard]] Candidates complete_path(const std::string& begin, Wanted wanted, const Context& context);

}  // namespace ddp::cli
