#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/import/batch_options.hpp"
#include "cli/import/config_document.hpp"
#include "cli/import/shell_scope.hpp"
#include "cli/import/shell_syntax.hpp"

namespace ddp::cli {

/// A command of the script before the one that starts the ranks.
struct ScriptStep {
  enum class Kind { assignment, command, folder };
  /// Whether it is a command alone, or several that depend on each other.
  enum class Form { alone, joined };
  Kind kind = Kind::command;
  Form form = Form::alone;
  int first = 0;  ///< lines
  int last = 0;
  std::string text = {};            ///< as the script has it
  std::set<std::string> uses = {};  ///< variables that it mentions
  std::string name = {};            ///< of an assignment
  std::string value = {};           ///< a symbolic text; of a folder, too
  bool is_exported = false;
  bool may_change = false;             ///< a file that the script reads later may set the variable, too
  bool is_replaceable = false;         ///< `export NAME=value` may take its place
  std::vector<PlacedWord> words = {};  ///< of a command; of several, those of the one that may be the program
  std::vector<PlacedWord> arguments = {};  ///< words that expand an argument of the script, such as "$1"
  Place place = {};
};

/// A command that starts the ranks.
struct LaunchCommand {
  std::vector<PlacedWord> words = {};
  std::vector<std::pair<std::string, std::string>> variables = {};  ///< NAME=value before it
  std::set<std::string> uses = {};
  bool is_srun = false;
  int first = 0;
  int last = 0;
  Place place = {};
};

struct ScriptSteps {
  std::vector<ScriptStep> steps = {};
  std::vector<LaunchCommand> launches = {};  ///< several only without srun
  std::vector<LineNote> notes = {};          ///< lines that are not needed
};

/// Goes through the lines in their order, keeps account of the variables in `scope`, and refuses what an
/// import does not keep.
[[nodiscard]] ScriptSteps read_steps(const ShellScript& script, ShellScope& scope, Errors& errors);

}  // namespace ddp::cli
