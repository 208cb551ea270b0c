#include "cli/import/script_arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "cli/import/shell_syntax.hpp"

namespace ddp::cli {
namespace {

std::optional<std::string> argument_in(const std::vector<ShellPart>& parts);

/// As in double quotes, but a double quote is one sign among others.
std::string as_quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) quoted += (c == '"' ? "\\" : "") + std::string(1, c);
  return quoted;
}

std::optional<std::string> argument_in_variable(const std::string& text) {
  if (is_script_argument(text)) return text.size() == 1 ? "$" + text : "${" + text + "}";
  const auto rest =
      std::ranges::find_if_not(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return rest == text.end() ? std::nullopt : argument_in(parse_shell_word({rest, text.end()}));
}

std::optional<std::string> argument_in_command(const std::string& text) {
  const auto found = script_arguments_in(text);
  return found.empty() ? std::nullopt : std::optional(found.front().name);
}

std::optional<std::string> argument_in(const ShellPart& part) {
  switch (part.kind) {
    case ShellPart::Kind::variable:
      return argument_in_variable(part.text);
    case ShellPart::Kind::arithmetic:
      return argument_in(parse_shell_word(part.text));
    case ShellPart::Kind::command:
      return argument_in_command(part.text);
    case ShellPart::Kind::array:
      for (const auto& element : part.elements)
        if (auto name = argument_in(element.parts)) return name;
      return std::nullopt;
    case ShellPart::Kind::text:
    case ShellPart::Kind::pattern:
      break;
  }
  return std::nullopt;
}

std::optional<std::string> argument_in(const std::vector<ShellPart>& parts) {
  for (const auto& part : parts)
    if (auto name = argument_in(part)) return name;
  return std::nullopt;
}

/// "set -- a b", "set a b", but not "set -euo pipefail".
bool sets_arguments(const ShellCommand& command) {
  bool is_name_of_option = false;
  for (std::size_t index = 1; index < command.words.size(); ++index) {
    const auto word = command.words[index].plain().value_or("");
    const bool is_option = word.size() > 1 && (word.front() == '-' || word.front() == '+') && word != "--";
    if (!is_option && !is_name_of_option) return true;
    is_name_of_option = is_option && word.back() == 'o';
  }
  return false;
}

/// The text of a here-document is expanded if its delimiter has no quotes.
bool expands_here_document(const ShellScript& script, const ShellLine& line) {
  return std::ranges::any_of(line.commands, [&](const ShellCommand& command) {
    return std::ranges::any_of(command.redirections, [&](const ShellWord& word) {
      const auto text = script.text_of(word.begin, word.end);
      return text.find("<<") != text.npos && text.find("<<<") == text.npos &&
             text.find_first_of("'\"\\") == text.npos;
    });
  });
}

class ArgumentFinder {
 public:
  explicit ArgumentFinder(const ShellScript& script) : script_(script) {}

  std::vector<ScriptArgument> find() {
    for (const auto& line : script_.lines) {
      for (const auto& command : line.commands) look_at(command);
      if (line.has_here_document && expands_here_document(script_, line)) look_at_document(line);
    }
    return std::move(found_);
  }

 private:
  void look_at(const ShellCommand& command) {
    const auto program = command.words.empty() ? "" : command.words[0].plain().value_or("");
    if (program == "shift" || program == "getopts" || (program == "set" && sets_arguments(command)))
      return found_.push_back({script_.text_of(command.begin, command.end), command.begin, command.end});
    for (const auto* words : {&command.words, &command.redirections})
      for (const auto& word : *words)
        if (auto name = argument_in(word.parts)) found_.push_back({std::move(*name), word.begin, word.end});
  }

  void look_at_document(const ShellLine& line) {
    std::size_t end_of_commands = line.begin;
    for (const auto& command : line.commands) end_of_commands = std::max(end_of_commands, command.end);
    const auto begin = std::min(script_.source->text.find('\n', end_of_commands), line.end);
    if (auto name = argument_in(parse_shell_word(as_quoted(script_.text_of(begin, line.end)))))
      found_.push_back({std::move(*name), line.begin, end_of_commands});
  }

  const ShellScript& script_;
  std::vector<ScriptArgument> found_;
};

}  // namespace

bool is_script_argument(std::string_view variable) {
  if (variable.size() > 1 && (variable.front() == '#' || variable.front() == '!')) variable.remove_prefix(1);
  if (variable.empty()) return false;
  const auto first = static_cast<unsigned char>(variable.front());
  return std::isdigit(first) != 0 || first == '@' || first == '*' || first == '#' ||
         variable.starts_with("BASH_SOURCE") || variable.starts_with("BASH_ARG");
}

std::vector<ScriptArgument> script_arguments_in(const std::string& lines) {
  const auto script = parse_shell(make_source_text("", "", lines, Origin::config_file));
  return ArgumentFinder(script).find();
}

}  // namespace ddp::cli
