#include "cli/launchers/slurm/query/setup_failure.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <string_view>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/module_hint.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kTailBytes = 16u << 10;
constexpr std::size_t kShownBytes = 160;

/// What the ERR trap of the script prints.
struct NamedLine {
  std::string code;
  std::size_t line = 0;     ///< of the script, from 1: where the function was called
  bool is_inside = false;   ///< a function, or a file, that the line has called
  std::string function;     ///< empty: a file
  std::string command;      ///< as bash prints it
  std::string said_before;  ///< the line of the output in front of it
};

std::optional<NamedLine> find_named_line(const std::string& output) {
  static const std::regex kForm(
      "ddpsubmit: the set-up failed with exit code ([0-9]{1,3}) in line ([0-9]{1,6})(?:, in ([^:]*))?: (.*)");
  std::istringstream lines(output);
  std::optional<NamedLine> found;
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    std::smatch parts;
    if (line.size() < kTailBytes / 2 && std::regex_match(line, parts, kForm))
      found = NamedLine{parts[1], std::stoul(parts[2]), parts[3].matched, parts[3], parts[4], before};
  }
  return found;
}

std::string line_of(const std::string& script, std::size_t number) {
  std::istringstream lines(script);
  std::string line;
  while (number > 0 && std::getline(lines, line)) --number;
  if (number > 0) return {};
  const auto begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::string_view first_word(std::string_view line) {
  return line.substr(0, line.find_first_of(" \t;&|"));
}

/// bash numbers the lines within an eval as though they stood in the script. Where the command that failed is
/// not in the line, it belongs to what the line sources, or to a function that it calls, such as `module`.
bool may_stand_for(const std::string& line, const std::string& command) {
  constexpr std::array<std::string_view, 22> kNoFunctions{
      "eval", "if",   "then", "else", "elif", "fi",   "for",  "while", "until",  "do",   "done",
      "case", "esac", "{",    "}",    "exec", "trap", "test", "cd",    "export", "true", "exit"};
  if (line.empty() || line.front() == '#') return false;
  if (line.find(command) != std::string::npos) return true;
  return std::ranges::find(kNoFunctions, first_word(line)) == kNoFunctions.end();
}

/// bash's own words: "…/slurm_script: line 21: module: command not found" without what is in front of them.
std::string words_of_bash(const std::string& line) {
  static const std::regex kForm(".*: line [0-9]+: (.+)");
  std::smatch parts;
  return line.size() < kTailBytes / 2 && std::regex_match(line, parts, kForm) ? parts[1].str() : "";
}

std::string shorten(const std::string& line) {
  return line.size() > kShownBytes ? line.substr(0, kShownBytes) + "…" : line;
}

/// An unset variable ends a shell without its trap: the last words are bash's then.
std::optional<std::string> describe_unset_variable(const std::string& output, const std::string& script) {
  static const std::regex kForm("(.*): line ([0-9]{1,6}): (.*: unbound variable)");
  std::smatch parts;
  const std::string last(last_line(output));
  if (last.size() > kTailBytes / 2 || !std::regex_match(last, parts, kForm)) return std::nullopt;
  if (!parts[1].str().ends_with("/slurm_script")) return "set-up failed: " + last;
  return "set-up failed at '" + shorten(line_of(script, std::stoul(parts[2]))) + "': " + parts[3].str();
}

std::string describe_inside(const NamedLine& named) {
  if (!named.is_inside) return {};
  const std::string where =
      named.function.empty() || named.function == "source" ? "the file" : "'" + named.function + "'";
  return ", where " + where + " failed at '" + shorten(named.command) + "'";
}

}  // namespace

std::optional<std::string> describe_setup_failure(const std::string& output, const std::string& script) {
  const auto named = find_named_line(output);
  if (!named) return describe_unset_variable(output, script);
  const auto line = line_of(script, named->line);
  if (!may_stand_for(line, named->command)) return std::nullopt;
  const auto words = words_of_bash(named->said_before);
  return "set-up failed at '" + shorten(line) + "'" + describe_inside(*named) + ": " +
         (words.empty() ? "exit code " + named->code : words) +
         (words == kModuleNotFound ? std::string(kMissingModuleHint) : "");
}

std::optional<std::string> find_setup_failure(const RunStatus& run) {
  if (run.run_dir.empty()) return std::nullopt;
  const RunFolder folder(run.run_dir);
  const auto output =
      load_tail(folder.job_output(std::string(SlurmOptions::kLauncher), run.job_id), kTailBytes);
  const auto script = load_file((folder.point() ? folder.sweep() : folder).script());
  return script ? describe_setup_failure(output, *script) : std::nullopt;
}

}  // namespace ddp::cli
