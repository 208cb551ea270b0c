#pragma once

#include <string>
#include <vector>

#include "cli/import/batch_options.hpp"
#include "cli/import/config_document.hpp"
#include "cli/import/shell_syntax.hpp"

namespace ddp::cli {

/// The options of the #SBATCH lines, and the comments of a script.
struct Directives {
  std::vector<GivenOption> options = {};
  std::vector<LineNote> notes = {};  ///< one for each other comment
};
[[nodiscard]] Directives read_directives(const ShellScript& script, Errors& errors);

/// The tasks of --array=…, and how many may run at once.
struct ArrayTasks {
  std::vector<std::string> numbers = {};
  std::string at_once = {};  ///< empty: any number

  /// Whether they are 0, 1, 2 and so on, as ddpsubmit numbers the points of a sweep.
  [[nodiscard]] bool counts_from_zero() const;
};
[[nodiscard]] ArrayTasks read_array(const GivenOption& option, Errors& errors);

}  // namespace ddp::cli
