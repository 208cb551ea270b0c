#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/output/reporter.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

enum class Arity { one, at_most_one, any, at_least_one };

/// What a word stands for: a shell completes it accordingly. Nothing is proposed for `text`.
enum class WordKind {
  text,
  run,          ///< a run's id or name, or `last`
  open_run,     ///< the same of runs that have not ended
  run_name,     ///< a name that runs have
  ranks,        ///< of the run that the line names, with commas between them
  config_file,  ///< a YAML file
  assignment,   ///< KEY=VALUE, or +include=FILE
  change,       ///< KEY=VALUE of what a rerun may change
  states,       ///< states of runs, with commas between them
  shell,        ///< a shell that can complete
  launcher,     ///< the name of a launcher
  checkpoint,   ///< of a training: its folder, LATEST, BEST, a run folder or a run
  folder,
  file,
};

/// A word that an operand may be.
struct Choice {
  std::string_view word;
  std::string_view doc;
};

/// A word that follows the verb.
struct Operand {
  std::string_view name;
  std::string_view doc;
  Arity arity = Arity::one;
  WordKind kind = WordKind::text;
  std::span<const Choice> choices = {};  ///< the only words it may be; empty: any. They outlive it
};

/// How many words an option takes: its value, or all that follow, whatever they begin with.
enum class OptionTakes { value, rest };

struct Option {
  std::string_view name;   ///< with its dashes
  std::string_view value;  ///< what the value is called; empty: a flag
  std::string_view doc;
  WordKind kind = WordKind::text;
  OptionTakes takes = OptionTakes::value;
  std::string_view short_name = {};  ///< a dash and a letter; empty: it has none
};

/// "-o, --output", or the only name, with what stands between the two.
[[nodiscard]] inline std::string names_of(const Option& option, std::string_view between) {
  if (option.short_name.empty()) return std::string(option.name);
  return std::string(option.short_name) + std::string(between) + std::string(option.name);
}

struct Example {
  std::string_view line;  ///< without the program's name
  std::string_view doc;
};

/// What was given on the command line, by the names of the operands and options.
class Arguments {
 public:
  void add(std::string_view name, std::vector<std::string> values) {
    values_[std::string(name)] = std::move(values);
  }

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
  /// The only value of `name`, or nullopt.
  [[nodiscard]] std::optional<std::string> one(std::string_view name) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// What verbs work with. Lives as long as the command.
struct Context {
  EnvMap environment;
  std::filesystem::path current_folder;  ///< absolute
  std::filesystem::path own_folder;      ///< of ddpsubmit's executable; absolute
  System system;
  Reporter& reporter;

  [[nodiscard]] LauncherSeams seams() const {
    return {system, environment, [this](std::string_view line) { reporter.note(line); }};
  }
};

/// A verb's end: the exit code, or the errors that tell it.
using Outcome = tl::expected<ExitCode, Errors>;
[[nodiscard]] inline tl::unexpected<Errors> refuse(Error error) {
  return tl::unexpected(Errors{std::move(error)});
}

/// Who calls a verb. Those of programs are in no list.
enum class Caller { people, programs };

/// Whether the words of a verb are parsed, or all of them go to its first operand as they are.
enum class Parsing { words, verbatim };

/// How a verb answers: as text, or as JSON with --json; or by drawing on the terminal, where there is no
/// JSON.
enum class AnswerForm { text_or_json, screen };

/// A verb as data: help, parsing, the manual, completion and the list of verbs are made of it.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::vector<Operand> operands;
  std::vector<Option> options;        ///< besides --help, and --json where `answers` has it
  std::string_view description = {};  ///< sentences for the manual, where the summary is not enough
  std::vector<Example> examples;
  Outcome (*run)(const Arguments& arguments, Context& context);
  Caller caller = Caller::people;
  Parsing parsing = Parsing::words;
  /// Of a verb with Parsing::verbatim: how many of the words behind it are options, among which --help and
  /// --json are those of ddpsubmit; the others belong to a program. nullptr: none is an option.
  std::size_t (*count_options)(std::span<const std::string> words) = nullptr;
  AnswerForm answers = AnswerForm::text_or_json;
};

/// Whether it is in the lists of verbs.
[[nodiscard]] inline bool is_listed(const Command& command) {
  return command.caller == Caller::people;
}

}  // namespace ddp::cli
