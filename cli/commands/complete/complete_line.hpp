#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/commands/complete/candidate.hpp"

namespace ddp::cli {

/// What the last of `words` can become; the program's name is not among them.
[[nodiscard]] Candidates complete_line(std::span<const Command> commands,
                                       const std::vector<std::string>& words, const Context& context);

}  // namespace ddp::cli
