#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/import/batch_options.hpp"
#include "cli/import/launch_options.hpp"

namespace ddp::cli {

/// The command that a script starts its ranks with, without srun.
struct LaunchLine {
  RankStarter starter = RankStarter::none;
  std::vector<PlacedWord> command = {};           ///< of each rank
  std::optional<PlacedWord> ranks_per_node = {};  ///< a number, or gpu
  std::optional<PlacedWord> all_ranks = {};
  std::optional<PlacedWord> nodes = {};
  std::optional<std::string> max_restarts = {};
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::vector<std::string> not_needed = {};                         ///< names of options, as they are written
  std::vector<std::pair<std::string, std::string>> no_effect = {};  ///< names of others, and why
};

/// Whether words of a command start ranks by themselves: torchrun, mpirun and so on.
[[nodiscard]] bool starts_ranks(const std::vector<std::string>& words);

/// Takes the program that starts ranks out of a command. Pure.
[[nodiscard]] LaunchLine read_launch_line(std::vector<PlacedWord> words, Errors& errors);

}  // namespace ddp::cli
