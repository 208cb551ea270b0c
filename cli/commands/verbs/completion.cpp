#include "cli/commands/complete/scripts.hpp"

#include <algorithm>

#include "cli/commands/command.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr Operand kShell{"SHELL", "bash, zsh or fish", Arity::one, WordKind::shell};

Outcome completion(const Arguments& arguments, Context& context) {
  const auto shell = *arguments.one(kShell.name);
  const auto scripts = completion_scripts();
  const auto script = std::ranges::find(scripts, shell, &CompletionScript::shell);
  if (script == scripts.end()) {
    std::vector<std::string> known;
    for (const auto& row : scripts) known.emplace_back(row.shell);
    return refuse(
        {ExitCode::usage, "unknown shell '" + shell + "'", "the shells are " + join_words(known, " and ")});
  }
  context.reporter.answer({.schema = "ddpsubmit.completion.v1",
                           .value = {{"shell", shell}, {"script", script->text}},
                           .text = std::string(script->text)});
  return ExitCode::ok;
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "Print a script that makes a shell complete the words of ddpsubmit",
          .operands = {kShell},
          .options = {},
          .description =
              "The script completes verbs, options, configuration files, runs, the keys of a configuration "
              "and their "
              "values. The tarball and the packages hold it where each shell looks for it. With pip, or "
              "where that "
              "folder is not searched, load it in the start file of the shell: ~/.bashrc or ~/.zshrc (behind "
              "`compinit`); fish reads it from ~/.config/fish/completions/ddpsubmit.fish.",
          .examples = {{"completion bash", "in ~/.bashrc: source <(ddpsubmit completion bash)"},
                       {"completion zsh", "in ~/.zshrc: source <(ddpsubmit completion zsh)"},
                       {"completion fish",
                        "ddpsubmit completion fish >~/.config/fish/completions/ddpsubmit.fish"}},
          .run = completion};
}

}  // namespace ddp::cli
