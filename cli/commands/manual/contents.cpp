#include "cli/commands/manual/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/commands/exit_codes.hpp"

namespace ddp::cli {
namespace {

std::string operand_in_manual(const Operand& operand) {
  std::string name(operand.name);
  switch (operand.arity) {
    case Arity::one:
      return name;
    case Arity::at_most_one:
      return "[" + name + "]";
    case Arity::any:
      return "[" + name + "]...";
    case Arity::at_least_one:
      return name + "...";
  }
  return name;
}

std::string option_in_manual(const Option& option) {
  return names_of(option, ", ") + (option.value.empty() ? "" : " " + std::string(option.value));
}

}  // namespace

std::string to_sentence(std::string_view text) {
  std::string sentence(text);
  // A word that a mark follows is a value: "ddp: the ranks average".
  const auto end = sentence.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  if (end != 0 && (end == sentence.npos || sentence[end] == ' ' || sentence[end] == '.'))
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence.ends_with('.') ? sentence : sentence + ".";
}

std::string synopsis_of(const Command& command) {
  auto line = fmt::format("ddpsubmit {} [OPTIONS]", command.name);
  for (const auto& operand : command.operands) line += " " + operand_in_manual(operand);
  return line;
}

Paragraph description_of(const Command& command) {
  auto text = to_sentence(command.summary);
  if (!command.description.empty()) text += " " + to_sentence(command.description);
  return {std::move(text)};
}

Entries operands_of(const Command& command) {
  Entries operands;
  for (const auto& operand : command.operands)
    operands.entries.push_back({operand_in_manual(operand), to_sentence(operand.doc)});
  return operands;
}

Entries options_of(const Command& command) {
  Entries options;
  for (const auto& option : command.options)
    options.entries.push_back({option_in_manual(option), to_sentence(option.doc)});
  if (command.answers == AnswerForm::text_or_json)
    options.entries.push_back({"--json", "Print JSON on stdout."});
  options.entries.push_back({"-h, --help", "Print a short help and exit."});
  return options;
}

Listing examples_of(const Command& command) {
  Listing examples;
  for (const auto& example : command.examples) {
    examples.lines.push_back(fmt::format("# {}", example.doc));
    examples.lines.push_back(fmt::format("ddpsubmit {}", example.line));
  }
  return examples;
}

std::vector<Block> introduction() {
  return {
      Paragraph{
          "`ddpsubmit` starts distributed training and watches over it: on this machine, on ssh hosts, or on "
          "a "
          "Slurm cluster. One YAML file describes a run: the program, the number of ranks, and what is done "
          "when something fails."},
      Paragraph{"Results go to stdout. Notes, progress and errors go to stderr. With `--json`, each verb "
                "prints its "
                "results, and its errors, as JSON on stdout. Options may stand before or after the other "
                "words. Words behind `--` are not options."}};
}

Entries common_options() {
  return {{{"-h, --help", "Print a short help and exit."},
           {"--version", "Print the version and exit."},
           {"--json", "Print JSON on stdout. Every verb but top takes it."}}};
}

Entries run_selectors() {
  return {{{"last", "The newest run."},
           {"train-3k9f0a1b", "A run id, or the start of one if no other run id starts with it."},
           {"train", "A name: the newest run of that name."},
           {"4711, 4711_3", "A Slurm job id."},
           {"RUN/3", "Point 3 of a sweep. The first point is 0."}}};
}

Entries exit_status() {
  Entries codes;
  for (const auto& row : exit_codes())
    codes.entries.push_back({std::to_string(static_cast<int>(row.code)), std::string(row.doc)});
  return codes;
}

Entries environment_variables() {
  return {
      {{"XDG_CONFIG_HOME",
        "The folder that holds ddpsubmit/user.yaml and your own presets. The default is ~/.config."},
       {"XDG_STATE_HOME",
        "The folder that holds the list of your runs. The default is ~/.local/state. Only your own account "
        "may "
        "be able to write to it."},
       {"XDG_CACHE_HOME",
        "The folder that holds checksums of files that were copied to ssh hosts. The default is ~/.cache."},
       {"VIRTUAL_ENV, CONDA_PREFIX",
        "A Python environment. `ddptrain` takes its LibTorch from there, unless `train.libtorch` names "
        "another."},
       {"NO_COLOR", "If it is set, ddpsubmit uses no colours. Ranks may have their own."},
       {"TERM", "With `dumb`, progress is not drawn in place."},
       {"SLURM_CONF", "The path of slurm.conf, for Slurm's own programs."}}};
}

Entries files() {
  return {
      {{"~/.config/ddpsubmit/user.yaml",
        "Values for all your runs, such as the account and the partition. A configuration overrides them."},
       {"~/.config/ddpsubmit/*/*.yaml", "Your own presets: `+include=FOLDER/FILE` finds them from anywhere."},
       {"PREFIX/share/ddpsubmit/configs/", "The installed presets. `ddpsubmit presets` lists all of them."},
       {"~/.local/state/ddpsubmit/runs/", "The list of your runs: one small file for each."},
       {"runs/NAME-ID/",
        "The run folder: logs, checkpoints, and the records of one run. `run_root` moves it."}}};
}

}  // namespace ddp::cli
