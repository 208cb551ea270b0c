#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/import/config_document.hpp"
#include "cli/import/rank_command.hpp"
#include "cli/import/script_steps.hpp"

namespace ddp::cli {

/// Which variables the ranks and their command need.
struct NeededVariables {
  std::set<std::string> expanded = {};   ///< a shell of the rank expands them
  std::set<std::string> mentioned = {};  ///< in the command as the script has it
  int cpus_per_task = 1;                 ///< of a rank
  bool counts_from_zero = true;          ///< of the tasks of the array, if it is one
};

/// Variables that only stand before the command of a rank: env NAME=value.
using CommandVariables = std::vector<std::pair<std::string, std::string>>;

/// Variables whose values differ between the tasks of an array, and those that ddpsubmit would override.
[[nodiscard]] CommandVariables variables_of_command(const std::vector<ScriptStep>& steps, int cpus_per_task);

/// Sorts the steps into set-up lines, environment.set and environment.secrets, and says of the others why
/// they are not needed. Pure.
void sort_steps(const std::vector<ScriptStep>& steps, const NeededVariables& needed, ConfigDocument& document,
                Errors& errors);

}  // namespace ddp::cli
