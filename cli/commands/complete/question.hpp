#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/commands/complete/candidate.hpp"

namespace ddp::cli {

/// A word that is to be completed, and what the line says before it.
struct Question {
  std::string begin;                            ///< of the word
  std::optional<std::string> config_file = {};  ///< that the line names
  std::vector<std::string> assignments = {};    ///< KEY=VALUE that the line has
  std::vector<std::string> runs = {};           ///< that the line names
  const Context& context;
};

}  // namespace ddp::cli
