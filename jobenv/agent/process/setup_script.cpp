#include "jobenv/agent/process/setup_script.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>

#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/module_hint.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kShownBytes = 160;
constexpr int kNotFound = 127;  // bash: there is no such command
constexpr std::size_t kLongestError = 1'000;
/// What bash calls the script of -c while a function of it runs.
constexpr const char* kNameInFunctions = "environment";
constexpr std::string_view kUnset = ": unbound variable";
constexpr std::string_view kBlanks = " \t";

/// Writes "CODE LINE CALL @FUNCTION COMMAND": LINE is where bash believes to be, CALL and FUNCTION are those
/// of the outermost function or file that the lines have called, 0 and nothing without one. One `case`,
/// because it leaves $? and $_ as they are when nothing is to be written: under `set +e` the script goes on.
/// $_ stands last for the same reason, for the lines' own EXIT trap. Standard error is away for the sake of
/// `set -x`. What fails here must not end the shell in its way.
std::string render_err_trap(const std::filesystem::path& report) {
  return "case $BASH_SUBSHELL:$SHELLOPTS: in 0:*errexit:*) "
         R"(builtin printf '%d %d %d @%s %s%.0s' "$?" "$LINENO" "${BASH_LINENO[*]: -1}" )"
         R"("${FUNCNAME[*]: -1}" "$BASH_COMMAND" "$_" >|)" +
         quote_for_shell(report.string()) + ";; esac 2>/dev/null || : \"$_\"";
}

struct FailedCommand {
  int code = 0;
  int line = 0;          ///< of the script, from 1; 0: none
  int call = 0;          ///< the line that called a function or a file; 0: none has
  std::string function;  ///< empty: a file that the line sources
  std::string text;      ///< as bash prints it: spaces and redirections are not those of the line
};

FailedCommand parse_report(const std::string& report) {
  FailedCommand command;
  std::istringstream words(report);
  const bool whole = words >> command.code >> command.line >> command.call >> command.function &&
                     command.function.starts_with('@') && std::getline(words >> std::ws, command.text);
  if (!whole) return {};
  command.function.erase(0, 1);
  return command;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return kBlanks.find(c) != std::string_view::npos; });
  return text;
}

/// `command` up to its first redirection, which bash prints in a form of its own: `>&2` as `1>&2`.
std::string without_redirections(const std::string& command) {
  const std::size_t end = command.find_first_of("<>");
  if (end == std::string::npos) return command;
  const std::string words = command.substr(0, end);
  return words.substr(0, words.find_last_not_of("0123456789&") + 1);
}

bool holds(const std::string& line, const std::string& command) {
  const std::string searched = without_blanks(without_redirections(command));
  return !searched.empty() && without_blanks(line).find(searched) != std::string::npos;
}

/// A line of the script, and which text of LaunchPlan::setup it is in: one may hold several.
struct ScriptLine {
  std::size_t index = 0;
  std::string text;
};

std::optional<ScriptLine> find_line(const LaunchPlan& plan, int number) {
  for (std::size_t index = 0; index < plan.setup.size(); ++index) {
    std::istringstream lines(plan.setup[index] + '\n');
    for (std::string line; std::getline(lines, line);)
      if (--number == 0) return ScriptLine{index, line};
  }
  return std::nullopt;
}

std::string first_word(const std::string& line) {
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  return line.substr(begin, line.find_first_of(" \t;&|", begin) - begin);
}

/// bash takes wrong numbers for what an eval runs, so the line has to fit what has failed.
bool is_cause(const std::string& line, const FailedCommand& command) {
  const std::string word = first_word(line);
  if (command.call > 0 && command.function.empty()) return word == "source" || word == ".";
  if (command.call > 0) return holds(line, command.function);
  // A function that has returned has no place of its own any more.
  const bool returned =
      first_word(command.text) == "return" && !word.empty() && word.front() != '#' && word != "}";
  return returned || holds(line, command.text);
}

std::string quote(std::string line) {
  line.erase(0, std::min(line.find_first_not_of(kBlanks), line.size()));
  if (line.size() > kShownBytes) line = line.substr(0, kShownBytes) + "…";
  return "`" + to_valid_utf8(line) + "`";
}

std::string name_line(const LaunchPlan& plan, const ScriptLine& line, int number) {
  const std::string place = plan.setup_places.empty() ? " in line " + std::to_string(number)
                                                      : " at " + plan.setup_places.at(line.index);
  return place + ": " + quote(line.text);
}

std::string describe_inside(const FailedCommand& command) {
  if (command.call == 0) return {};
  const std::string where =
      command.function.empty() ? "the file" : "'" + to_valid_utf8(command.function) + "'";
  return ", where " + where + " failed at " + quote(command.text);
}

}  // namespace

std::string render_setup_script(const LaunchPlan& plan, const std::filesystem::path& report) {
  std::string script = "set -E; trap " + quote_for_shell(render_err_trap(report)) + " ERR; ";
  for (const std::string& text : plan.setup) script += text + '\n';
  return script + "exec \"$@\"";
}

std::vector<std::string> render_setup_argv(const LaunchPlan& plan, const std::filesystem::path& report,
                                           const std::vector<std::string>& program) {
  std::vector<std::string> argv = {"/bin/bash", "-e", "-c", render_setup_script(plan, report), kSetupName};
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

std::string take_failure_report(const std::filesystem::path& report) {
  FileStream file(report);
  std::string line;
  std::getline(file, line);
  std::error_code ignored;
  std::filesystem::remove(report, ignored);
  return line;
}

std::string describe_failed_line(const LaunchPlan& plan, int status, const std::string& report) {
  const FailedCommand command = parse_report(report);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != command.code) return {};
  const int number = command.call > 0 ? command.call : command.line;
  const auto line = find_line(plan, number);
  if (!line || !is_cause(line->text, command)) return {};
  const bool no_module = command.code == kNotFound && command.text.starts_with("module ");
  return name_line(plan, *line, number) + describe_inside(command) +
         (no_module ? std::string(kMissingModuleHint) : "");
}

std::string describe_bash_error(const LaunchPlan& plan, const std::string& output) {
  static const std::regex kForm("(.+): line ([0-9]{1,6}): (.+)");
  std::smatch parts;
  const std::string last(last_line(output));
  if (last.size() > kLongestError || !std::regex_match(last, parts, kForm)) return {};
  const int number = std::stoi(parts[2]);
  const auto line = find_line(plan, number);
  const std::string subject = parts[3].str().substr(0, parts[3].str().find(':'));
  const bool in_lines =
      (parts[1] == kSetupName || parts[1] == kNameInFunctions) && line && holds(line->text, subject);
  if (in_lines) return name_line(plan, *line, number) + ": " + parts[3].str();
  return last.ends_with(kUnset) ? ": " + last : std::string();
}

}  // namespace ddp::agent
