#include "cli/launch/preflight/command_script.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ddp::cli {
namespace {

/// How a program reads the words in front of its script.
struct Interpreter {
  std::string_view name;             ///< of the program, up to its version
  std::string_view flags;            ///< letters that take no value
  std::string_view with_value;       ///< letters whose value is the rest of the word, or the next word
  std::string_view long_flags;       ///< words, between blanks
  std::string_view long_with_value;  ///< the value is the next word
  bool seeks_path;
};

constexpr std::string_view kPythonFlags = "bBdEiIOPqRsSuvx";
constexpr std::string_view kShellFlags = "abefhiklmnprtuvxBCEHPT";
constexpr std::string_view kBashWords =
    " --debugger --login --noediting --noprofile --norc --posix --restricted --verbose ";

constexpr std::array<Interpreter, 5> kInterpreters{{
    {"python", kPythonFlags, "WX", "", " --check-hash-based-pycs ", false},
    {"pypy", kPythonFlags, "WX", "", "", false},
    {"bash", kShellFlags, "oO", kBashWords, " --init-file --rcfile ", true},
    {"dash", kShellFlags, "o", "", "", true},
    {"sh", kShellFlags, "oO", "", "", true},
}};

/// "python" of "/usr/bin/python3.12".
std::string_view name_of_program(std::string_view program) {
  program = program.substr(program.rfind('/') + 1);
  return program.substr(0, program.find_last_not_of("0123456789.") + 1);
}

bool lists(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

enum class Then { next_word, skip_value, no_script };

/// What follows a word such as "-u", "-Wignore", "-um" or "+x".
Then read_letters(std::string_view word, const Interpreter& interpreter) {
  for (std::size_t at = 1; at < word.size(); ++at) {
    if (interpreter.with_value.find(word[at]) != std::string_view::npos)
      return at + 1 == word.size() ? Then::skip_value : Then::next_word;
    if (interpreter.flags.find(word[at]) == std::string_view::npos) return Then::no_script;
  }
  return Then::next_word;
}

Then read_option(std::string_view word, const Interpreter& interpreter) {
  if (!word.starts_with("--")) return word.size() > 1 ? read_letters(word, interpreter) : Then::no_script;
  if (lists(interpreter.long_with_value, word)) return Then::skip_value;
  return lists(interpreter.long_flags, word) ? Then::next_word : Then::no_script;
}

}  // namespace

std::optional<CommandScript> script_of_command(const std::vector<std::string>& command) {
  if (command.empty()) return std::nullopt;
  const auto* interpreter = std::ranges::find(kInterpreters, name_of_program(command[0]), &Interpreter::name);
  if (interpreter == kInterpreters.end()) return std::nullopt;
  for (std::size_t at = 1; at < command.size(); ++at) {
    const std::string& word = command[at];
    const bool ends_options = word == "--" && at + 1 < command.size();
    if (ends_options || (!word.starts_with('-') && !word.starts_with('+'))) {
      const std::size_t script = ends_options ? at + 1 : at;
      return CommandScript{command[script], script, interpreter->seeks_path};
    }
    const auto then = read_option(word, *interpreter);
    if (then == Then::no_script) return std::nullopt;
    if (then == Then::skip_value) ++at;
  }
  return std::nullopt;
}

}  // namespace ddp::cli
