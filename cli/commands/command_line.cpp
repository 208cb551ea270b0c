#include "cli/commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <deque>
#include <optional>

#include "cli/commands/exit_codes.hpp"
#include "cli/commands/option_as_setting.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr const char* kJson = "--json";
constexpr std::size_t kHelpWidth = 79;    // of a terminal with 80 columns
constexpr std::size_t kFirstColumn = 28;  // of a help: names of verbs and options

/// One verb in CLI11's form, with the places that it parses into. Never moved: CLI11 keeps pointers into it.
struct ParsedVerb {
  const Command* command;
  CLI::App* app;
  // In a deque elements stay where they are.
  std::deque<std::pair<std::string_view, std::vector<std::string>>> values;
};

/// Each behind what it does, so that lines stay short.
std::string render_examples(const Command& command) {
  std::string text = command.examples.empty() ? "" : "Examples:\n";
  for (const auto& example : command.examples)
    text += fmt::format("  # {}\n  ddpsubmit {}\n", example.doc, example.line);
  return text;
}

std::string render_exit_codes() {
  std::string text = "Exit codes:";
  std::size_t begin = 0;  // of the line
  for (const auto& row : exit_codes()) {
    if (row.brief.empty()) continue;
    const auto entry = fmt::format(" {} {}", static_cast<int>(row.code), row.brief);
    if (text.size() - begin + entry.size() > kHelpWidth) begin = text.append("\n").size();
    const bool starts_line = begin == text.size();
    text += entry.substr(starts_line ? 1 : 0) + ',';
  }
  text.back() = '.';
  return text + "\n";
}

/// CLI11 2.4 accepts no '=' in the name of an operand: there KEY=VALUE is KEY~VALUE, and only the help shows
/// the name.
std::string name_in_cli11(std::string_view operand) {
  std::string name(operand);
  std::ranges::replace(name, '=', '~');
  return name;
}

/// In lines that fit behind the first column of a help.
std::string wrap_doc(std::string_view doc, std::size_t first_column = kFirstColumn) {
  const std::size_t width = kHelpWidth - first_column;
  std::string text;
  std::size_t begin = 0;  // of the line
  while (!doc.empty()) {
    const auto word = doc.substr(0, doc.find(' '));
    doc.remove_prefix(std::min(word.size() + 1, doc.size()));
    if (text.size() > begin && text.size() - begin + 1 + word.size() > width)
      begin = text.append("\n").size();
    else if (text.size() > begin)
      text += ' ';
    text += word;
  }
  return text;
}

class Formatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_operand) const override {
    auto name = CLI::Formatter::make_option_name(option, is_operand);
    if (is_operand) std::ranges::replace(name, '~', '=');
    return name;
  }
};

void add_operand(const Operand& operand, ParsedVerb& verb) {
  auto& values = verb.values.emplace_back(operand.name, std::vector<std::string>{}).second;
  auto* option = verb.app->add_option(name_in_cli11(operand.name), values, wrap_doc(operand.doc));
  option->type_name("");
  const bool needed = operand.arity == Arity::one || operand.arity == Arity::at_least_one;
  const bool single = operand.arity == Arity::one || operand.arity == Arity::at_most_one;
  option->required(needed);
  option->allow_extra_args(!single);
  option->expected(operand.arity == Arity::any ? 0 : 1, single ? 1 : CLI::detail::expected_max_vector_size);
}

void add_option(const Option& option, ParsedVerb& verb) {
  if (option.value.empty()) {
    verb.app->add_flag(names_of(option, ","))->disable_flag_override()->description(wrap_doc(option.doc));
    return;
  }
  auto& values = verb.values.emplace_back(option.name, std::vector<std::string>{}).second;
  verb.app->add_option(names_of(option, ","), values, wrap_doc(option.doc))
      ->type_name(std::string(option.value))
      ->expected(1)
      ->allow_extra_args(false)  // what follows the value is for the operands
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Arguments collect(const ParsedVerb& verb) {
  Arguments arguments;
  for (const auto& [name, values] : verb.values) {
    if (!values.empty()) arguments.add(name, values);
  }
  for (const auto& option : verb.command->options) {
    if (option.value.empty() && verb.app->count(std::string(option.name)) > 0) arguments.add(option.name, {});
  }
  return arguments;
}

/// The first word that its operand may not be, as an error.
std::optional<Error> find_wrong_choice(const Command& command, const Arguments& arguments) {
  for (const auto& operand : command.operands) {
    std::vector<std::string> known;
    for (const auto& choice : operand.choices) known.emplace_back(choice.word);
    for (const auto& word : arguments.all(operand.name)) {
      if (known.empty() || std::ranges::find(known, word) != known.end()) continue;
      const auto hint = suggest(word, known);
      return Error{ExitCode::usage, fmt::format("'{}' has no {} '{}'", command.name, operand.name, word),
                   hint.empty() ? fmt::format("{} is {}", operand.name, join_words(known)) : hint};
    }
  }
  return std::nullopt;
}

Error explain_empty_word(const Command& command, std::string_view name, std::string_view doc) {
  return {ExitCode::usage, fmt::format("'{}': {} is an empty word", command.name, name),
          fmt::format("a variable of the shell that is not set? {}: {}", name, doc)};
}

/// The first operand or option whose value has no letter, as an error: as the beginning of an id, or as a
/// part of a name, it would mean every run.
std::optional<Error> find_empty_word(const Command& command, const Arguments& arguments) {
  const auto is_empty = [&arguments](const auto& word) {
    const auto values = arguments.all(word.name);
    return std::ranges::find(values, std::string()) != values.end();
  };
  for (const auto& operand : command.operands)
    if (is_empty(operand)) return explain_empty_word(command, operand.name, operand.doc);
  for (const auto& option : command.options)
    if (is_empty(option)) return explain_empty_word(command, option.name, option.doc);
  return std::nullopt;
}

/// The same of an option that is written with '=' and nothing behind it: CLI11 would take the next word.
std::optional<Error> find_empty_value(const Command& command, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == kEndOfOptions) break;
    for (const auto& option : command.options)
      if (!option.value.empty() && word == std::string(option.name) + '=')
        return explain_empty_word(command, option.name, option.doc);
  }
  return std::nullopt;
}

/// "one RUN", "CONFIG and KEY=VALUE …", "no arguments".
std::string render_operands(const Command& command) {
  std::vector<std::string> names;
  for (const auto& operand : command.operands) {
    const bool single = operand.arity == Arity::one || operand.arity == Arity::at_most_one;
    names.push_back((single ? "one " : "") + std::string(operand.name));
  }
  return names.empty() ? "no arguments" : join_words(names, " and ");
}

bool takes_settings(const Command& command) {
  return std::ranges::find(command.operands, std::string_view("KEY=VALUE"), &Operand::name) !=
         command.operands.end();
}

/// `words`: those of the line.
Error explain_unknown_option(const std::string& word, const Command& command, const std::string& help,
                             const std::vector<std::string>& words) {
  const auto name = word.substr(0, word.find('='));
  std::vector<std::string> known{"--help"};
  if (command.answers == AnswerForm::text_or_json) known.emplace_back(kJson);
  for (const auto& option : command.options) known.emplace_back(option.name);
  auto hint = takes_settings(command) ? advise_on_setting(word, words) : std::string();
  if (hint.empty()) hint = suggest(name, known);
  return {ExitCode::usage, fmt::format("'{}' has no option '{}'", command.name, name),
          hint.empty() ? help : hint};
}

/// CLI11's words: "--rank: 1 required RANKS missing", "follow was given a disallowed flag override".
std::string explain_mismatch(const std::string& words) {
  if (words.find("flag override") != words.npos)
    return "--" + words.substr(0, words.find(' ')) + " takes no value";
  const auto colon = words.find(": ");
  const auto value = words.find("required ");
  if (colon == words.npos || value == words.npos) return words;
  const auto begin = value + std::string_view("required ").size();
  return words.substr(0, colon) + " needs a value: " + words.substr(begin, words.find(' ', begin) - begin);
}

/// The program and its verbs in CLI11's form.
class Parser {
 public:
  /// `verb` is the one that the line names. Without one, the line asks for the help or the version.
  Parser(std::span<const Command> commands, std::string_view verb)
      : app_("Start and watch distributed training runs, each from one YAML file", "ddpsubmit") {
    app_.set_help_flag("-h,--help", "print this help and exit");
    app_.set_version_flag("--version", std::string("ddpsubmit ") + DDP_VERSION, "print the version and exit");
    app_.require_subcommand(1);
    app_.formatter(std::make_shared<Formatter>());
    app_.get_formatter()->column_width(kFirstColumn);
    app_.get_formatter()->label("SUBCOMMAND", "VERB");
    if (verb.empty()) add_list_of_verbs(commands);
    const auto chosen = std::ranges::find(commands, verb, &Command::name);
    if (chosen == commands.end()) return;
    add_words_of(add(*chosen));
    command_ = &*chosen;
  }

  Expected<CommandLine> parse(std::vector<std::string> words) {
    if (auto error = command_ != nullptr ? find_empty_value(*command_, words) : std::nullopt)
      return tl::unexpected(std::move(*error));
    words_ = words;
    std::ranges::reverse(words);  // as CLI11 takes them
    try {
      app_.parse(std::move(words));
    } catch (const CLI::CallForVersion& version) {
      return CommandLine(ShownText{"ddpsubmit.version.v1", std::string(version.what()) + "\n"});
    } catch (const CLI::CallForHelp&) {
      return CommandLine(ShownText{"ddpsubmit.help.v1", app_.help()});
    } catch (const CLI::ExtrasError&) {
      return tl::unexpected(explain_surplus());
    } catch (const CLI::RequiredError& error) {
      return tl::unexpected(explain_missing(error.what()));
    } catch (const CLI::ArgumentMismatch& error) {
      return fail(ExitCode::usage, explain_mismatch(error.what()), "see: " + chosen_name() + " --help");
    } catch (const CLI::ParseError& error) {
      return fail(ExitCode::usage, error.what(), "see: " + chosen_name() + " --help");
    }
    const auto chosen =
        std::ranges::find_if(verbs_, [](const ParsedVerb& verb) { return verb.app->parsed(); });
    auto arguments = collect(*chosen);
    if (auto error = find_empty_word(*chosen->command, arguments)) return tl::unexpected(std::move(*error));
    if (auto error = find_wrong_choice(*chosen->command, arguments)) return tl::unexpected(std::move(*error));
    return CommandLine(Invocation{chosen->command, std::move(arguments)});
  }

 private:
  void add_list_of_verbs(std::span<const Command> commands) {
    app_.footer("RUN is a run's id, a unique prefix of it, a run's name, a Slurm job id, or `last`.\n" +
                render_exit_codes() + "`ddpsubmit VERB --help` shows the options of a verb, and examples.");
    for (const auto& command : commands) {
      if (is_listed(command)) add(command);
    }
  }

  ParsedVerb& add(const Command& command) {
    auto& verb = verbs_.emplace_back();
    verb.command = &command;
    verb.app = app_.add_subcommand(std::string(command.name), wrap_doc(command.summary))->group("Verbs");
    return verb;
  }

  static void add_words_of(ParsedVerb& verb) {
    verb.app->description(wrap_doc(verb.command->summary, 0));
    verb.app->set_help_flag("-h,--help", "print this help and exit");
    for (const auto& operand : verb.command->operands) add_operand(operand, verb);
    for (const auto& option : verb.command->options) add_option(option, verb);
    if (verb.command->answers == AnswerForm::text_or_json)
      verb.app->add_flag(kJson)->disable_flag_override()->description("print JSON on stdout");
    verb.app->footer(render_examples(*verb.command));
  }

  /// Words that the verb does not take.
  Error explain_surplus() const {
    const auto verb = std::ranges::find_if(verbs_, [](const ParsedVerb& each) { return each.app->parsed(); });
    const auto words = app_.remaining(true);
    if (verb == verbs_.end() || words.empty())
      return {ExitCode::usage, "unexpected arguments", "see: ddpsubmit --help"};
    const auto& command = *verb->command;
    const auto help = fmt::format("see: ddpsubmit {} --help", command.name);
    if (words.front().starts_with('-')) return explain_unknown_option(words.front(), command, help, words_);
    return {ExitCode::usage,
            fmt::format("unexpected argument '{}': '{}' takes {}", words.front(), command.name,
                        render_operands(command)),
            help};
  }

  /// Words that the verb needs.
  Error explain_missing(const std::string& what) const {
    const auto verb = std::ranges::find_if(verbs_, [](const ParsedVerb& each) { return each.app->parsed(); });
    const auto help = fmt::format("see: {} --help", chosen_name());
    if (verb == verbs_.end()) return {ExitCode::usage, what, help};
    const auto& operands = verb->command->operands;
    const auto missing = std::ranges::find_if(operands, [&](const Operand& operand) {
      const auto* option = verb->app->get_option_no_throw(name_in_cli11(operand.name));
      return option != nullptr && option->get_required() && option->count() == 0;
    });
    if (missing == operands.end()) return {ExitCode::usage, what, help};
    return {ExitCode::usage, fmt::format("'{}' needs {}", verb->command->name, missing->name),
            fmt::format("{}: {}; {}", missing->name, missing->doc, help)};
  }

  std::string chosen_name() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "ddpsubmit" : "ddpsubmit " + chosen.front()->get_name();
  }

  CLI::App app_;
  const Command* command_ = nullptr;  ///< of the verb that the line names
  std::deque<ParsedVerb> verbs_;
  std::vector<std::string> words_;  ///< of the line
};

/// For a line without a verb: empty if it asks for the help or the version.
Expected<std::string> check_own_options(const std::vector<std::string>& words) {
  const std::vector<std::string> known{"-h", "--help", "--version", kJson};
  for (const auto& word : words) {
    if (std::ranges::find(known, word) != known.end()) continue;
    const auto hint = suggest(word, known);
    return fail(ExitCode::usage, "unknown option '" + word + "'",
                hint.empty() ? "see: ddpsubmit --help" : hint);
  }
  const bool asks = std::ranges::any_of(words, [](const std::string& word) { return word != kJson; });
  if (asks) return {};
  return fail(ExitCode::usage, "no verb is given", "see: ddpsubmit --help");
}

/// What other tools call a verb.
struct OtherName {
  std::string_view name, hint;
};

constexpr std::array kOtherNames = {
    OtherName{"help", "see: ddpsubmit --help, or ddpsubmit VERB --help"},
    OtherName{"version", "see: ddpsubmit --version"},
    OtherName{"submit", "did you mean 'run'?"},
    OtherName{"sbatch", "did you mean 'run'?"},
    OtherName{"ls", "did you mean 'list'?"},
    OtherName{"ps", "did you mean 'list'?"},
    OtherName{"kill", "did you mean 'cancel'?"},
    OtherName{"stop", "did you mean 'cancel'?"},
    OtherName{"scancel", "did you mean 'cancel'?"},
    OtherName{"rm", "did you mean 'prune'?"},
    OtherName{"delete", "did you mean 'prune'?"},
    OtherName{"resume", "did you mean 'rerun'?"},
    OtherName{"tail", "did you mean 'logs'?"},
};

std::string suggest_verb(const std::string& word, const std::vector<std::string>& names) {
  const auto* const other = std::ranges::find(kOtherNames, word, &OtherName::name);
  return other == kOtherNames.end() ? suggest(word, names) : std::string(other->hint);
}

/// The verb: the first word that is not an option. Empty: the line asks for the help or the version.
Expected<std::string> find_verb(const std::vector<std::string>& words, std::span<const Command> commands) {
  if (words.empty()) return fail(ExitCode::usage, "no verb is given", "see: ddpsubmit --help");
  const auto word =
      std::ranges::find_if(words, [](const std::string& text) { return !text.starts_with('-'); });
  if (word == words.end()) return check_own_options(words);
  if (std::ranges::find(commands, *word, &Command::name) != commands.end()) return *word;
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (is_listed(command)) names.emplace_back(command.name);
  }
  const auto hint = suggest_verb(*word, names);
  return fail(ExitCode::usage, "'" + *word + "' is not a command of ddpsubmit",
              hint.empty() ? "see: ddpsubmit --help" : hint);
}

/// The words up to an option that takes the rest, and that rest.
struct SplitWords {
  std::vector<std::string> own;
  const Option* option = nullptr;
  std::vector<std::string> rest = {};
};

/// The option of the verb that takes the rest; nullptr: it has none.
const Option* find_rest_option(const std::vector<std::string>& words, std::span<const Command> commands) {
  const auto verb = find_verb(words, commands);
  const auto command = verb ? std::ranges::find(commands, *verb, &Command::name) : commands.end();
  if (command == commands.end()) return nullptr;
  const auto option = std::ranges::find(command->options, OptionTakes::rest, &Option::takes);
  return option == command->options.end() ? nullptr : &*option;
}

SplitWords split_words(const std::vector<std::string>& words, std::span<const Command> commands) {
  const Option* option = find_rest_option(words, commands);
  const auto at = option == nullptr ? words.end() : std::ranges::find(words, option->name);
  if (at == words.end()) return {words};
  return {{words.begin(), at}, option, {std::next(at), words.end()}};
}

Expected<CommandLine> add_rest(Expected<CommandLine> line, SplitWords words) {
  auto* const invocation = line ? std::get_if<Invocation>(&*line) : nullptr;
  if (invocation == nullptr || words.option == nullptr) return line;
  if (words.rest.empty())
    return fail(ExitCode::usage, fmt::format("{} needs a value: {}", words.option->name, words.option->value),
                fmt::format("see: ddpsubmit {} --help", invocation->command->name));
  invocation->arguments.add(words.option->name, std::move(words.rest));
  return line;
}

/// A line whose verb takes its words as they are.
struct VerbatimLine {
  const Command* command = nullptr;  ///< nullptr: it is another line
  std::span<const std::string> words;
  std::span<const std::string> options;  ///< those of `words` that are options
  bool has_json = false;

  [[nodiscard]] bool asks_for_help() const {
    return std::ranges::any_of(options, [](const auto& word) { return word == "--help" || word == "-h"; });
  }
};

/// --json may stand before the verb. A "--" right behind it is left out.
VerbatimLine find_verbatim(const std::vector<std::string>& words, std::span<const Command> commands) {
  const auto verb = std::ranges::find_if(words, [](const std::string& word) { return word != kJson; });
  const auto command = std::ranges::find_if(commands, [&](const Command& each) {
    return each.parsing == Parsing::verbatim && verb != words.end() && *verb == each.name;
  });
  if (command == commands.end()) return {};
  VerbatimLine line{.command = &*command, .words = {std::next(verb), words.end()}, .options = {}};
  if (!line.words.empty() && line.words.front() == kEndOfOptions)
    line.words = line.words.subspan(1);
  else if (command->count_options != nullptr)
    line.options = line.words.first(command->count_options(line.words));
  line.has_json = verb != words.begin() || std::ranges::find(line.options, kJson) != line.options.end();
  return line;
}

Expected<CommandLine> take_verbatim(const VerbatimLine& line, std::span<const Command> commands) {
  if (line.asks_for_help())
    return Parser(commands, line.command->name).parse({std::string(line.command->name), "--help"});
  Arguments arguments;
  arguments.add(line.command->operands.front().name, {line.words.begin(), line.words.end()});
  return CommandLine(Invocation{line.command, std::move(arguments)});
}

}  // namespace

Expected<CommandLine> parse_command_line(const std::vector<std::string>& words,
                                         std::span<const Command> commands) {
  if (const auto line = find_verbatim(words, commands); line.command != nullptr)
    return take_verbatim(line, commands);
  SplitWords split = split_words(words, commands);
  const auto end_of_options = std::ranges::find(split.own, kEndOfOptions);
  // It may stand anywhere; output_mode_of has seen it.
  split.own.erase(std::remove(split.own.begin(), end_of_options, kJson), end_of_options);
  const auto verb = find_verb(split.own, commands);
  if (!verb) return tl::unexpected(verb.error());
  auto line = Parser(commands, *verb).parse(std::move(split.own));
  return add_rest(std::move(line), std::move(split));
}

OutputMode output_mode_of(const std::vector<std::string>& words, std::span<const Command> commands) {
  if (const auto line = find_verbatim(words, commands); line.command != nullptr)
    return line.has_json ? OutputMode::json : OutputMode::text;
  const auto own = split_words(words, commands).own;
  const auto end = std::ranges::find(own, kEndOfOptions);
  return std::find(own.begin(), end, kJson) == end ? OutputMode::text : OutputMode::json;
}

}  // namespace ddp::cli
