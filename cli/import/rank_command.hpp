#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/import/batch_options.hpp"

namespace ddp::cli {

/// What each rank runs, in symbolic texts.
struct RankCommand {
  std::vector<PlacedWord> folders = {};                             ///< to change into, one after the other
  std::vector<std::pair<std::string, std::string>> variables = {};  ///< for this command alone
  std::vector<PlacedWord> words = {};
};

struct RenderedCommand {
  std::vector<std::string> words = {};   ///< as `command` of a configuration takes them
  std::set<std::string> variables = {};  ///< that a shell of the rank expands
  std::set<std::string> arguments = {};  ///< names under `args`
};

/// A list of words where all are known; else a shell that expands the others when the rank starts. What only
/// the batch script knows is an error. Pure.
[[nodiscard]] RenderedCommand render_rank_command(const RankCommand& command, Errors& errors);

}  // namespace ddp::cli
