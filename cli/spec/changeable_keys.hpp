#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// What may change in a run depends on this.
struct RunToChange {
  std::string program;             ///< the key that says what it runs: "train" or "command"
  std::string launcher = {};       ///< that it runs with
  std::vector<std::string> swept;  ///< the keys of the sweep that it is, or is a point of
};

/// Reports each key of `changes` that may not change between two attempts of `run`, at its place: with
/// another value of it the checkpoints, the ranks or the folder would be those of another run.
void check_changes(const ConfigNode& changes, const RunToChange& run, Errors& errors);

/// Whether some run may change the key at the dotted path `path` between two attempts.
[[nodiscard]] bool may_change(std::string_view path);

}  // namespace ddp::cli
