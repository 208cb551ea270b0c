#pragma once

#include <vector>

#include "cli/commands/command.hpp"

namespace ddp::cli {

/// All verbs, in the order of the help.
[[nodiscard]] std::vector<Command> all_commands();

}  // namespace ddp::cli
