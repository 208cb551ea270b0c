#include "cli/spec/command_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>

#include "cli/spec/command_args.hpp"
#include "cli/spec/field_writer.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/list_form.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 10> kRankStarters{"torchrun",      "srun",      "mpirun", "mpiexec",
                                                         "mpiexec.hydra", "orterun",   "prun",   "deepspeed",
                                                         "accelerate",    "horovodrun"};
constexpr std::array<std::string_view, 5> kMpiStarters{"mpirun", "mpiexec", "mpiexec.hydra", "orterun",
                                                       "prun"};
constexpr std::array<std::string_view, 4> kStartingModules{
    "torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch", "deepspeed"};
constexpr std::array<std::string_view, 7> kShells{"sh", "bash", "dash", "zsh", "ksh", "fish", "tcsh"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view file_name(std::string_view word) {
  return word.substr(word.rfind('/') + 1);
}

bool is_python(std::string_view word) {
  return file_name(word).starts_with("python");
}

/// A program that starts ranks, and the number of words up to it.
struct RankStarter {
  std::string name;
  std::size_t words = 1;
};

std::optional<RankStarter> find_rank_starter(const Words& command) {
  if (command.empty()) return std::nullopt;
  if (holds(kRankStarters, file_name(command[0]))) return RankStarter{std::string(file_name(command[0]))};
  const auto flag = std::ranges::find(command, "-m");
  if (!is_python(command[0]) || command.end() - flag < 2 || !holds(kStartingModules, *(flag + 1)))
    return std::nullopt;
  return RankStarter{"python -m " + *(flag + 1), static_cast<std::size_t>(flag - command.begin()) + 2};
}

/// The program that the ranks run, of the words behind the one that starts them; empty: not found.
Words program_behind(const Words& command, std::size_t starter) {
  const auto begin = command.begin() + static_cast<std::ptrdiff_t>(starter);
  const auto found = std::find_if(
      begin, command.end(), [](const std::string& word) { return is_python(word) || word.ends_with(".py"); });
  Words program(found, command.end());
  if (!program.empty() && !is_python(program[0])) program.insert(program.begin(), "python3");
  return program;
}

/// Without a program that starts ranks.
Words program_alone(const Words& command) {
  const auto starter = find_rank_starter(command);
  return starter ? program_behind(command, starter->words) : command;
}

std::string join_with_blanks(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// With few quotes, if no word needs more.
std::string render_command(const Words& words) {
  const bool has_blanks = std::ranges::any_of(
      words, [](const std::string& word) { return word.empty() || word.find_first_of(" \t") != word.npos; });
  const auto list = has_blanks ? std::string() : list_form(join_with_blanks(words), ListOf::texts);
  return list.empty() ? render_texts(words) : list;
}

std::string place_before(const RunSpec& spec, const std::string& path) {
  const auto mark = spec.origins.mark(path);
  return mark ? render_place(*mark) + ": " : "";
}

/// A line of torchrun need not be taken apart; a program of MPI needs somebody who connects its ranks.
std::string_view advise_on_line(const RankStarter& starter) {
  if (starter.name == "torchrun" || starter.name.ends_with(kStartingModules.front()))
    return "; or start the line as it is: ddpsubmit torchrun ...";
  return holds(kMpiStarters, starter.name) ? "; for an MPI program, set rendezvous.backend: mpi, too" : "";
}

void warn_of_rank_starter(const RunSpec& spec, const Words& command, Words& warnings) {
  const auto starter = find_rank_starter(command);
  if (!starter) return;
  const auto program = program_behind(command, starter->words);
  warnings.push_back(fmt::format(
      "{}ddpsubmit starts the ranks itself, so each rank would start '{}' once more; write the "
      "program alone: "
      "command: {}; the number of ranks per node is resources.tasks_per_node{}",
      place_before(spec, item_path("command", starter->words - 1)), starter->name,
      program.empty() ? "[python3, train.py]" : render_command(program), advise_on_line(*starter)));
}

/// "torchrun --nproc-per-node=2 train.py" of `bash -c "cd x && torchrun --nproc-per-node=2 train.py"`.
std::optional<Words> find_line_of_starter(const std::string& script) {
  std::string line;
  std::istringstream lines(std::regex_replace(script, std::regex("[;&|]+"), "\n"));
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    Words command{std::istream_iterator<std::string>(words), {}};
    const auto is_prefix = [](const std::string& word) {
      return word == "exec" || word.find('=') != word.npos;
    };
    command.erase(command.begin(), std::ranges::find_if_not(command, is_prefix));
    if (find_rank_starter(command)) return command;
  }
  return std::nullopt;
}

void warn_of_starter_in_shell(const RunSpec& spec, const Words& command, Words& warnings) {
  if (command.empty() || !holds(kShells, file_name(command[0]))) return;
  const auto first = std::find_if(command.begin() + 1, command.end(),
                                  [](const std::string& word) { return !word.starts_with('-'); });
  const auto flag = first - 1;  // the shell's own options end there
  if (first == command.end() || !flag->starts_with('-') || !flag->ends_with('c')) return;
  const auto line = find_line_of_starter(*(flag + 1));
  if (!line) return;
  const auto starter = find_rank_starter(*line);
  warnings.push_back(fmt::format(
      "{}ddpsubmit starts the ranks itself, so each rank would start '{}' once more; write the program alone "
      "in "
      "the shell's line; the number of ranks per node is resources.tasks_per_node",
      place_before(spec, item_path("command", static_cast<std::size_t>(flag + 1 - command.begin()))),
      starter->name));
}

bool is_variable_letter(char c) {
  return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/// "$LR" or "${LR}" in `word`; empty: it has none. Names in small letters are rarely those of the
/// environment.
std::string find_variable(std::string_view word) {
  for (auto at = word.find('$'); at != word.npos; at = word.find('$', at + 1)) {
    const bool has_brace = word.substr(at + 1).starts_with('{');
    const auto name = at + (has_brace ? 2 : 1);
    auto end = name;
    while (end < word.size() && is_variable_letter(word[end])) ++end;
    const bool is_name = end > name && (word[name] < '0' || word[name] > '9');
    const bool is_closed = !has_brace || (end < word.size() && word[end] == '}');
    if (is_name && is_closed) return std::string(word.substr(at, end + (has_brace ? 1 : 0) - at));
  }
  return {};
}

/// What only a shell reads in a word: a variable, "~/data", "data/*.csv"; empty: nothing. Programs read the
/// patterns of their options, and those of URLs, themselves.
std::string find_shell_text(const std::string& word, bool is_of_option) {
  if (auto variable = find_variable(word); !variable.empty()) return variable;
  const bool is_home = word == "~" || word.starts_with("~/");
  const bool is_pattern = !is_of_option && word.find("://") == word.npos && word.find('*') != word.npos &&
                          word.find_first_of("./") != word.npos && !word.starts_with('-') &&
                          word.find_first_of(" ({[\\|^$") == word.npos;
  return is_home || is_pattern ? word : std::string();
}

bool has_shell(const Words& command) {
  return std::ranges::any_of(command,
                             [](const std::string& word) { return holds(kShells, file_name(word)); });
}

/// The words as one line for a shell; empty: one of them would need quotes there.
std::string render_shell_line(const Words& command) {
  if (command.empty()) return {};
  for (const std::string& word : command) {
    if (word.empty() || word.find_first_of(" \t\n\"'`\\;&|<>()?#!") != word.npos) return {};
  }
  return "exec " + join_with_blanks(command);
}

void warn_of_variables(const RunSpec& spec, const Words& command, Words& warnings) {
  if (has_shell(command)) return;
  Words found;
  std::string place;
  for (std::size_t index = 0; index < command.size(); ++index) {
    const auto text = find_shell_text(command[index], index > 0 && command[index - 1].starts_with('-'));
    if (text.empty()) continue;
    if (found.empty()) place = place_before(spec, item_path("command", index));
    found.push_back("'" + text + "'");
  }
  if (found.empty()) return;
  const auto line = render_shell_line(program_alone(command));
  warnings.push_back(fmt::format(
      "{}{} reach{} the program unchanged, because no shell reads the words of 'command'; write the value "
      "itself, or start a shell: command: [bash, -c, '{}']",
      place, join_words(found, " and "), found.size() == 1 ? "es" : "",
      line.empty() ? "exec python3 train.py --lr $LR" : line));
}

}  // namespace

std::vector<std::string> warn_of_command(const RunSpec& spec) {
  const auto command = command_of(spec);
  Words warnings;
  warn_of_rank_starter(spec, command, warnings);
  warn_of_starter_in_shell(spec, command, warnings);
  warn_of_variables(spec, command, warnings);
  return warnings;
}

}  // namespace ddp::cli
