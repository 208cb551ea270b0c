#include "cli/import/rank_command.hpp"

#include <algorithm>
#include <cctype>

#include "cli/import/script_arguments.hpp"
#include "cli/import/shell_scope.hpp"
#include "cli/import/symbolic_text.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

using K = SymbolKind;

bool needs_shell(std::string_view text) {
  return has_symbol(text, K::variable) || has_symbol(text, K::pattern);
}

/// "$1", "${2:-x}"
bool is_argument(std::string_view expansion) {
  const auto name = expansion.substr(std::min(expansion.find_first_not_of('$'), expansion.size()));
  return is_script_argument(name.starts_with('{') ? name.substr(1) : name);
}

class CommandRenderer {
 public:
  CommandRenderer(const RankCommand& command, Errors& errors) : command_(command), errors_(errors) {}

  RenderedCommand render() {
    for (const auto& word : command_.words) check(word);
    for (const auto& folder : command_.folders) check(folder);
    for (const auto& [name, value] : command_.variables) check({value, command_.words.front().place});
    const bool has_shell =
        std::ranges::any_of(command_.words, needs_shell, &PlacedWord::text) ||
        std::ranges::any_of(command_.variables, needs_shell, &std::pair<std::string, std::string>::second);
    auto words = environment_words();
    if (has_shell) {
      render_shell();
    } else {
      for (const auto& word : command_.words) words.push_back(in_configuration(word.text));
      if (!command_.folders.empty()) words = in_folder(words);
      rendered_.words = std::move(words);
    }
    return std::move(rendered_);
  }

 private:
  void check(const PlacedWord& word) {
    for (const auto& symbol : read_symbols(word.text)) {
      if (symbol.kind == K::address) {
        report(word, "'" + symbol.text + "' is an address that only the batch script knows",
               "use $MASTER_ADDR in its place, which each rank has");
      } else if (symbol.kind == K::of_task) {
        report(word, "the batch script expands '$" + symbol.text + "', so it is the same for all tasks",
               "let the program read RANK, LOCAL_RANK or NODE_RANK");
      } else if (symbol.kind == K::unknown) {
        report(word, "only the script itself can tell what '" + symbol.text + "' is",
               is_argument(symbol.text) ? std::string(kAdviceOnArgument)
                                        : "assign it to a variable before: NAME=…, or write its value");
      }
    }
  }

  void report(const PlacedWord& word, std::string message, std::string advice) {
    errors_.push_back(config_error(word.place, std::move(message), std::move(advice)));
  }

  /// The text with {args.NAME} for what a sweep sets.
  std::string in_configuration(std::string_view text) {
    const std::function<std::string(const Symbol&)> replace = [this](const Symbol& symbol) {
      if (symbol.kind == K::swept) rendered_.arguments.insert(symbol.text);
      return symbol.kind == K::swept ? "{args." + symbol.text + "}" : symbol.text;
    };
    return replace_symbols(text, replace);
  }

  std::vector<std::string> environment_words() {
    std::vector<std::string> words;
    for (const auto& [name, value] : command_.variables) {
      if (words.empty()) words.emplace_back("env");
      words.push_back(name + "=" + in_configuration(value));
    }
    return words;
  }

  /// A word of the shell. A swept value stands behind the text, so that the shell does not read it.
  std::string in_shell(std::string_view text) {
    std::string word;
    for (const auto& symbol : read_symbols(text)) {
      const bool splits = symbol.splitting == Splitting::splits;
      if (symbol.kind == K::text) {
        word += quote_for_shell(symbol.text);
      } else if (symbol.kind == K::swept) {
        arguments_.push_back(in_configuration(write_symbol(symbol)));
        word += "\"${" + std::to_string(arguments_.size()) + "}\"";
      } else if (symbol.kind == K::variable) {
        word += in_shell_as_variable(symbol.text, splits);
      } else {
        word += symbol.text;
      }
    }
    return word.empty() ? "''" : word;
  }

  std::string in_shell_as_variable(const std::string& text, bool splits) {
    const auto end =
        std::ranges::find_if_not(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    rendered_.variables.emplace(text.begin(), end);
    rendered_.variables.merge(variables_in(text));
    const auto expansion = end == text.end() ? "$" + text : "${" + text + "}";
    if (!splits) return "\"" + expansion + "\"";
    return "${" + text + "}";
  }

  std::string change_folders() {
    std::string text;
    for (const auto& folder : command_.folders) text += "cd " + in_shell(folder.text) + " && ";
    return text;
  }

  std::vector<std::string> in_folder(const std::vector<std::string>& words) {
    const auto text = change_folders() + "exec \"$@\"";
    std::vector<std::string> shell{"bash", "-c", text, "bash"};
    shell.insert(shell.end(), words.begin(), words.end());
    return shell;
  }

  void render_shell() {
    std::string text = change_folders() + "exec";
    if (!command_.variables.empty()) text += " env";
    for (const auto& [name, value] : command_.variables) text += " " + name + "=" + in_shell(value);
    for (const auto& word : command_.words) text += " " + in_shell(word.text);
    rendered_.words = {"bash", "-c", text};
    if (arguments_.empty()) return;
    rendered_.words.emplace_back("bash");
    rendered_.words.insert(rendered_.words.end(), arguments_.begin(), arguments_.end());
  }

  const RankCommand& command_;
  Errors& errors_;
  RenderedCommand rendered_;
  std::vector<std::string> arguments_;  ///< of the shell
};

}  // namespace

RenderedCommand render_rank_command(const RankCommand& command, Errors& errors) {
  return CommandRenderer(command, errors).render();
}

}  // namespace ddp::cli
