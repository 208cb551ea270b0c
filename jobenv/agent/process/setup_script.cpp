#include "jobenv/agent/process/setup_script.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/module_hint.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kShownBytes = 160;
constexpr int kNotFound = 127;  // bash: there is no such command
constexpr std::string_view kBlanks = " \t";

/// Writes "CODE LINE COMMAND". One `case`, because it leaves $? and $_ as they are when nothing is to be
/// written: under `set +e` the script goes on. $_ stands last for the same reason, for the lines' own EXIT
/// trap. Standard error is away for the sake of `set -x`. What fails here must not end the shell in its way.
std::string render_err_trap(const std::filesystem::path& report) {
  return "case ${FUNCNAME-}${BASH_SOURCE-}$BASH_SUBSHELL:$SHELLOPTS: in 0:*errexit:*) "
         R"(builtin printf '%d %d %s%.0s' "$?" "$LINENO" "$BASH_COMMAND" "$_" >|)" +
         quote_for_shell(report.string()) + ";; esac 2>/dev/null || : \"$_\"";
}

struct FailedCommand {
  int code = 0;
  int line = 0;      ///< of the script, from 1; 0: none
  std::string text;  ///< as bash prints it: spaces and redirections are not those of the line
};

FailedCommand parse_report(const std::string& report) {
  FailedCommand command;
  std::istringstream words(report);
  if (!(words >> command.code >> command.line) || !std::getline(words >> std::ws, command.text)) return {};
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

std::string quote(std::string line) {
  line.erase(0, std::min(line.find_first_not_of(kBlanks), line.size()));
  if (line.size() > kShownBytes) line = line.substr(0, kShownBytes) + "…";
  return "`" + to_valid_utf8(line) + "`";
}

}  // namespace

std::string render_setup_script(const LaunchPlan& plan, const std::filesystem::path& report) {
  std::string script = "trap " + quote_for_shell(render_err_trap(report)) + " ERR; ";
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
  const auto line = find_line(plan, command.line);
  if (!line || !holds(line->text, command.text)) return {};
  const std::string place = plan.setup_places.empty() ? " in line " + std::to_string(command.line)
                                                      : " at " + plan.setup_places.at(line->index);
  const bool no_module = command.code == kNotFound && command.text.starts_with("module ");
  return place + ": " + quote(line->text) + (no_module ? std::string(kMissingModuleHint) : "");
}

}  // namespace ddp::agent
