#include "cli/import/script_steps.hpp"

#include <algorithm>
#include <array>

#include "cli/import/assigned_names.hpp"
#include "cli/import/launch_line.hpp"
#include "cli/import/line_idioms.hpp"
#include "cli/import/script_arguments.hpp"
#include "cli/import/script_programs.hpp"
#include "cli/import/secret_words.hpp"
#include "cli/spec/owned_variables.hpp"

namespace ddp::cli {
namespace {

using Kind = ScriptStep::Kind;

constexpr std::string_view kNoFiles =
    "remove it: the output of ranks goes to files of the run folder, and `ddpsubmit logs` shows it; "
    "slurm.output makes "
    "a link to that of rank 0";

bool declares(std::string_view program) {
  static constexpr std::array<std::string_view, 5> kPrograms = {"export", "declare", "typeset", "readonly",
                                                                "local"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

bool reads_variable(std::string_view program) {
  return program == "mapfile" || program == "readarray" || program == "read";
}

bool changes_folder(std::string_view program) {
  return program == "cd" || program == "pushd" || program == "popd";
}

/// "cd FOLDER || exit 1": a set-up line that fails ends the run anyway.
bool ends_where_cd_fails(const ShellLine& line) {
  if (line.commands.size() != 2 || line.commands[0].joint != Joint::or_else) return false;
  const auto program_of = [](const ShellCommand& command) {
    return command.words.empty() ? std::string() : command.words[0].plain().value_or("");
  };
  return program_of(line.commands[0]) == "cd" && program_of(line.commands[1]) == "exit";
}

bool writes_file(const ShellCommand& command, const ShellScript& script) {
  return std::ranges::any_of(command.redirections, [&](const ShellWord& each) {
    const auto text = script.text_of(each.begin, each.end);
    return text.find('>') != text.npos && text.find(">&") == text.npos && !text.ends_with("/dev/null");
  });
}

bool has_pattern(std::string_view value) {
  return has_symbol(value, SymbolKind::pattern);
}

/// Words that only say how the next command is run.
bool only_starts(std::string_view word) {
  return word == "time" || word == "exec" || word == "command" || word == "nohup";
}

enum class Starter { srun, itself };
enum class Reach { shell, exported };

class StepReader {
 public:
  StepReader(const ShellScript& script, ShellScope& scope, Errors& errors)
      : script_(script), scope_(scope), errors_(errors) {}

  ScriptSteps read() {
    for (const auto& line : script_.lines) take_line(line);
    return std::move(found_);
  }

 private:
  [[nodiscard]] Place place_of(std::size_t begin, std::size_t end) const {
    return place_at(script_.source, begin, static_cast<int>(std::max<std::size_t>(end - begin, 1)));
  }
  [[nodiscard]] int line_of(std::size_t at) const { return line_at(*script_.source, at).number; }
  [[nodiscard]] int last_line_of(std::size_t end) const { return line_of(end > 0 ? end - 1 : 0); }

  void report(std::size_t begin, std::size_t end, std::string message, std::string advice) {
    errors_.push_back(config_error(place_of(begin, std::min(end, script_.source->text.find('\n', begin))),
                                   std::move(message), std::move(advice)));
  }

  void take_line(const ShellLine& line) {
    if (has_launch_) return take_later_line(line);
    if (!line.compound.empty()) {
      const auto [what, advice] = advice_on_compound(line.compound);
      return report(line.begin, line.begin + line.compound.size(), std::string(what) + " is not kept",
                    std::string(advice));
    }
    const bool is_plain = std::ranges::all_of(line.commands, [](const ShellCommand& command) {
      return command.joint == Joint::line_end || command.joint == Joint::semicolon;
    });
    if (!is_plain || (line.has_here_document && line.commands.size() > 1)) return take_joined(line);
    for (const auto& command : line.commands) {
      if (!has_launch_) {
        take_command(command, line);
      } else {
        refuse_later(command);
      }
    }
  }

  /// Behind the command that starts the ranks. The commands of other nodes may follow.
  void take_later_line(const ShellLine& line) {
    const auto& first = line.commands.empty() ? ShellCommand{line.begin, line.end} : line.commands.front();
    const bool may_repeat = !found_.launches.empty() && !found_.launches.back().is_srun;
    if (may_repeat && line.compound.empty() && line.commands.size() == 1) {
      const auto words = fields_of(first.words);
      if (starts_ranks_itself(words)) return take_launch(first, words, {}, Starter::itself);
    }
    if (!line.compound.empty())
      return report(line.begin, line.begin + line.compound.size(), "nothing runs after the ranks",
                    std::string(advice_on_later_line("")));
    for (const auto& command : line.commands) refuse_later(command);
  }

  void refuse_later(const ShellCommand& command) {
    const auto program = command.words.empty() ? "" : command.words[0].plain().value_or("");
    if (leaves_environment(fields_of(command.words)))
      return add_note(command, "the environment ends with the job");
    report(command.begin, command.end, "nothing runs after the ranks",
           std::string(advice_on_later_line(program)));
  }

  [[nodiscard]] std::vector<PlacedWord> fields_of(const std::vector<ShellWord>& words) {
    std::vector<PlacedWord> fields;
    for (const auto& word : words)
      for (auto& field : scope_.fields_of(word))
        fields.push_back({std::move(field), place_of(word.begin, word.end)});
    return fields;
  }

  static bool starts_ranks_itself(const std::vector<PlacedWord>& words) {
    return !words.empty() && !only_mentions(words[0].text) && starts_ranks(texts_of(words));
  }

  static std::vector<std::string> texts_of(const std::vector<PlacedWord>& words) {
    std::vector<std::string> texts;
    for (const auto& word : words) texts.push_back(word.text);
    return texts;
  }

  /// "a && b", "a | b", "a &": kept as it is, unless it starts ranks.
  void take_joined(const ShellLine& line) {
    if (ends_where_cd_fails(line)) return take_command(line.commands.front(), line);
    std::vector<PlacedWord> program_words;
    for (const auto& command : line.commands) {
      const auto program = command.words.empty() ? "" : command.words[0].plain().value_or("");
      if (changes_folder(program))
        return report(command.begin, command.end, "the folder changes in a line of several commands",
                      "write cd on a line of its own");
      auto words = fields_of(command.words);
      while (!words.empty() && only_starts(words[0].text)) words.erase(words.begin());
      const bool is_launch =
          !words.empty() && (is_srun(words[0]) || find_hidden_srun(words) || starts_ranks_itself(words));
      if (is_launch) return refuse_joint(line, command);
      for (const auto& word : command.words)
        if (const auto assigned = assignment_of(word)) scope_.forget(assigned->name);
      forget_changed_by(command, words);
      if (program_words.empty() || is_program(words)) program_words = words;
    }
    auto& step = add_step(line.begin, line.end, std::move(program_words));
    step.form = ScriptStep::Form::joined;
  }

  /// What a command changes is known only when the job runs.
  void forget_changed_by(const ShellCommand& command, const std::vector<PlacedWord>& fields) {
    for (const auto& name : set_by_default(script_.text_of(command.begin, command.end))) scope_.forget(name);
    if (!command.words.empty())
      if (const auto array = element_assigned_by(command.words[0]))
        scope_.set(*array, unknown_element(*array));
    if (fields.empty()) return;
    const auto& program = fields[0].text;
    if (reads_other_lines(program)) return forget_changed_elsewhere(fields);
    if (program == "printf" && fields.size() > 2 && fields[1].text == "-v") scope_.forget(fields[2].text);
    if (program != "unset" && program != "let" && !reads_variable(program)) return;
    for (const auto& field : fields) {
      const auto name = field.text.substr(0, field.text.find_first_of("=+-*/%<>&|^ "));
      if (is_name(name) && &field != &fields.front()) scope_.forget(name);
    }
  }

  static std::string unknown_element(const std::string& array) {
    return write_symbol({SymbolKind::unknown, "${" + array + "[…]}"});
  }

  /// Modules and environments change exported variables; a file that is read may change all.
  void forget_changed_elsewhere(const std::vector<PlacedWord>& fields) {
    if (!changes_environment_alone(fields)) {
      for (auto& step : found_.steps) step.may_change = true;
      return scope_.forget_all();
    }
    for (const auto& step : found_.steps) {
      const bool is_fixed = has_symbol(step.value, SymbolKind::address) ||
                            has_symbol(step.value, SymbolKind::swept) || is_owned_variable(step.name);
      if (step.kind == Kind::assignment && step.is_exported && !is_fixed) scope_.forget(step.name);
    }
  }

  void refuse_joint(const ShellLine& line, const ShellCommand& command) {
    has_launch_ = true;
    for (const auto& each : line.commands) {
      if (each.joint == Joint::background)
        return report(command.begin, command.end, "the command that starts the ranks runs in the background",
                      "remove the '&' behind it, and the line 'wait'");
      if (each.joint == Joint::pipe)
        return report(command.begin, command.end, "the output of the ranks goes into a pipe",
                      std::string(kNoFiles));
    }
    report(command.begin, command.end, "the command that starts the ranks depends on another one",
           "write it on a line of its own: a set-up line that fails ends the run");
  }

  ScriptStep& add_step(std::size_t begin, std::size_t end, std::vector<PlacedWord> words) {
    ScriptStep step;
    step.first = line_of(begin);
    step.last = last_line_of(end);
    step.text = script_.text_of(begin, end);
    step.uses = variables_in(step.text);
    for (const auto& name : set_by_default(step.text)) scope_.forget(name);
    step.words = std::move(words);
    step.place = place_of(begin, end);
    step.arguments = arguments_in(begin, end);
    return found_.steps.emplace_back(std::move(step));
  }

  [[nodiscard]] std::vector<PlacedWord> arguments_in(std::size_t begin, std::size_t end) const {
    std::vector<PlacedWord> arguments;
    for (auto& found : script_arguments_in(script_.text_of(begin, end)))
      arguments.push_back({std::move(found.name), place_of(begin + found.begin, begin + found.end)});
    return arguments;
  }

  void add_note(const ShellCommand& command, std::string reason) {
    found_.notes.push_back({line_of(command.begin), last_line_of(command.end),
                            script_.text_of(command.begin, command.end), std::move(reason)});
  }

  void take_command(const ShellCommand& command, const ShellLine& line) {
    auto words = command.words;
    std::vector<std::pair<std::string, std::string>> variables;
    while (!words.empty() && words[0].plain() && only_starts(*words[0].plain())) {
      words.erase(words.begin());
      if (!words.empty() && words[0].plain() == "-p") words.erase(words.begin());
    }
    const bool only_assigns =
        std::ranges::all_of(words, [](const auto& word) { return assignment_of(word).has_value(); });
    if (!words.empty() && only_assigns) return take_assignments(command, words, Reach::shell);
    strip_env(words);
    while (!words.empty() && assignment_of(words[0])) {
      const auto assigned = *assignment_of(words[0]);
      variables.emplace_back(assigned.name,
                             as_literal(scope_.value_of(without_prefix(words[0], assigned.prefix))));
      words.erase(words.begin());
    }
    const auto program = words.empty() ? std::string() : words[0].plain().value_or("");
    if (declares(program)) return take_declaration(command, words);
    const auto fields = fields_of(words);
    const auto* hidden = fields.empty() || is_srun(fields[0]) ? nullptr : find_hidden_srun(fields);
    if (hidden != nullptr) return refuse_hidden_srun(*hidden, fields[0].text);
    if (!fields.empty() && (is_srun(fields[0]) || starts_ranks_itself(fields))) {
      if (!command.redirections.empty())
        report(command.redirections.front().begin, command.redirections.front().end,
               "the ranks read or write a file of the shell", std::string(kNoFiles));
      return take_launch(command, fields, variables, is_srun(fields[0]) ? Starter::srun : Starter::itself);
    }
    take_set_up(command, line, program, fields);
  }

  /// env NAME=value srun …: as NAME=value srun ….
  static void strip_env(std::vector<ShellWord>& words) {
    if (words.size() < 3 || program_name(words[0].plain().value_or("")) != "env") return;
    const auto program = std::find_if(words.begin() + 1, words.end(),
                                      [](const ShellWord& word) { return !assignment_of(word); });
    const bool is_srun_there =
        program != words.end() && program_name(program->plain().value_or("")) == "srun";
    if (is_srun_there) words.erase(words.begin());
  }

  void refuse_hidden_srun(const PlacedWord& word, const std::string& program) {
    has_launch_ = true;
    errors_.push_back(config_error(word.place, "'" + program + "' starts srun",
                                   "write srun at the front of the line; resources.time ends a run, and "
                                   "slurm.srun_options has options of srun"));
  }

  /// Behind NAME= a sign such as '*' stands for itself.
  static std::string as_literal(std::string_view value) {
    const std::function<std::string(const Symbol&)> replace = [](const Symbol& symbol) {
      const bool is_literal = symbol.kind == SymbolKind::pattern && symbol.text.size() == 1 &&
                              std::string_view("*?[{").find(symbol.text) != std::string_view::npos;
      return is_literal ? symbol.text : write_symbol(symbol);
    };
    return replace_symbols(value, replace);
  }

  void take_launch(const ShellCommand& command, std::vector<PlacedWord> words,
                   std::vector<std::pair<std::string, std::string>> variables, Starter starter) {
    has_launch_ = true;
    const bool is_srun = starter == Starter::srun;
    if (is_srun) words.erase(words.begin());
    found_.launches.push_back(
        {std::move(words), std::move(variables), variables_in(script_.text_of(command.begin, command.end)),
         is_srun, line_of(command.begin), last_line_of(command.end), place_of(command.begin, command.end)});
  }

  void take_declaration(const ShellCommand& command, std::vector<ShellWord> words) {
    auto reach = words[0].plain() == "export" ? Reach::exported : Reach::shell;
    words.erase(words.begin());
    while (!words.empty() && words[0].plain().value_or("").starts_with('-')) {
      if (words[0].plain()->find('x') != std::string::npos) reach = Reach::exported;
      if (*words[0].plain() == "-n") return forget_unexported(command, words);
      if (words[0].plain()->find('A') != std::string::npos) return refuse_map(command);
      words.erase(words.begin());
    }
    take_assignments(command, words, reach);
  }

  /// export -n NAME
  void forget_unexported(const ShellCommand& command, const std::vector<ShellWord>& words) {
    for (const auto& word : words) scope_.forget(word.plain().value_or(""));
    add_step(command.begin, command.end, fields_of(command.words));
  }

  void refuse_map(const ShellCommand& command) {
    report(command.begin, command.end, "an array with names for its elements is not kept",
           "number its elements: NAME=(…)");
  }

  /// One step for each: each may have another fate.
  void take_assignments(const ShellCommand& command, const std::vector<ShellWord>& words, Reach reach) {
    const bool is_exported = reach == Reach::exported;
    for (const auto& word : words) {
      auto& step = add_step(command.begin, command.end, {});
      if (words.size() > 1) {
        step.text = (is_exported ? "export " : "") + script_.text_of(word.begin, word.end);
        step.uses = variables_in(step.text);
        step.arguments = arguments_in(word.begin, word.end);
      }
      step.kind = Kind::assignment;
      step.is_exported = is_exported;
      assign(word, step);
    }
  }

  void assign(const ShellWord& word, ScriptStep& step) {
    const auto assigned = assignment_of(word);
    if (!assigned) {  // export NAME
      step.name = word.plain().value_or("");
      step.value =
          scope_.value_of({word.begin, word.end, {{ShellPart::Kind::variable, step.name, Quoting::quoted}}});
      step.uses.insert(step.name);
      mark_earlier(step);
      return;
    }
    step.name = assigned->name;
    if (step.name == "IFS")
      report(word.begin, word.end, "IFS changes where bash splits the words of all lines behind it",
             "remove it, or write it before one command: IFS=, read …");
    const auto value = without_prefix(word, assigned->prefix);
    const bool is_array = value.parts.size() == 1 && value.parts[0].kind == ShellPart::Kind::array;
    if (assigned->appends) {
      step.uses.insert(step.name);
      append(value, is_array, step);
    } else if (is_array) {
      auto elements = scope_.elements_of(value.parts[0]);
      for (const auto& element : elements) step.value += element;
      set_array(step.name, std::move(elements));
    } else {
      step.is_replaceable = true;
      step.value = scope_.value_of(value, step.name);
      scope_.set(step.name, value_in_scope(step));
    }
  }

  void append(const ShellWord& value, bool is_array, ScriptStep& step) {
    const ShellWord old{
        value.begin,
        value.end,
        {{ShellPart::Kind::variable, is_array ? step.name + "[@]" : step.name, Quoting::quoted}}};
    if (is_array) {
      auto elements = scope_.fields_of(old);
      std::ranges::move(scope_.elements_of(value.parts[0]), std::back_inserter(elements));
      set_array(step.name, std::move(elements));
      return;
    }
    step.value = scope_.value_of(old) + scope_.value_of(value);
    scope_.set(step.name, value_in_scope(step));
  }

  /// bash finds the files of (*.csv) when the job runs.
  void set_array(const std::string& name, std::vector<std::string> elements) {
    if (std::ranges::any_of(elements, has_pattern)) return scope_.set(name, unknown_element(name));
    scope_.set_array(name, std::move(elements));
  }

  /// Ranks have these themselves; what the job finds out is known by its name from there on.
  static std::string value_in_scope(const ScriptStep& step) {
    if (is_place_of_rank(step.name)) return write_symbol({SymbolKind::of_task, step.name});
    if (is_owned_variable(step.name) && !is_known(step.value))
      return write_symbol({SymbolKind::variable, step.name});
    const bool is_opaque = has_symbol(step.value, SymbolKind::unknown) || has_pattern(step.value) ||
                           (is_known(step.value) && !step.value.empty() && is_secret_name(step.name));
    return is_opaque ? write_symbol({SymbolKind::variable, step.name}) : step.value;
  }

  /// export NAME, where NAME has a value: as if it had been exported at once.
  void mark_earlier(const ScriptStep& step) {
    for (auto& earlier : found_.steps)
      if (earlier.kind == Kind::assignment && earlier.name == step.name && &earlier != &step)
        earlier.is_exported = true;
  }

  void take_set_up(const ShellCommand& command, const ShellLine& line, const std::string& program,
                   const std::vector<PlacedWord>& fields) {
    if (const auto* advice = find_refused_command(program))
      return report(command.begin, command.end, "'" + program + "' is not kept", std::string(*advice));
    const auto text = script_.text_of(command.begin, command.end);
    if (program == "set" && fields.size() == 2 && fields[1].text == "-e")
      return add_note(command, "the set-up of a run has it");
    if (program == "unset" && fields.size() == 2 && !reason_of_exported(fields[1].text).empty())
      return add_note(command, std::string(reason_of_exported(fields[1].text)));
    if (leaves_environment(fields) && has_program_)
      return add_note(command, "the environment ends with the job");
    const bool sets_variable = fields.size() > 1 && fields[1].text == "-v";
    if ((program == "echo" || (program == "printf" && !sets_variable)) && !writes_file(command, script_))
      if (const auto reason = reason_of_print(fields, text); !reason.empty())
        return add_note(command, std::string(reason));
    if (program == "cd" && fields.size() <= 2) return take_folder(command, fields);
    auto& step = add_step(line.has_here_document ? line.begin : command.begin,
                          line.has_here_document ? line.end : command.end, fields);
    has_program_ = has_program_ || is_program(fields);
    if (reads_variable(program)) return take_read_variable(command, fields, step);
    forget_changed_by(command, fields);
  }

  /// Why a print is left out; empty: it is kept.
  [[nodiscard]] static std::string_view reason_of_print(const std::vector<PlacedWord>& fields,
                                                        const std::string& text) {
    const auto is_of_rank = [](const std::string& name) {
      return is_owned_variable(name) && !name.starts_with("SLURM_");
    };
    if (std::ranges::any_of(variables_in(text), is_of_rank))
      return "it prints what ddpsubmit sets; `ddpsubmit env` explains it";
    const auto has_place = [](const PlacedWord& word) { return has_symbol(word.text, SymbolKind::address); };
    const bool is_without_use =
        std::ranges::any_of(fields, has_place) || names_starter(fields) || !script_arguments_in(text).empty();
    return is_without_use ? "it only prints" : "";
  }

  /// echo $CMD, where CMD is the command of the ranks, perhaps in quotes.
  static bool names_starter(const std::vector<PlacedWord>& fields) {
    std::vector<std::string> words;
    for (const auto& field : fields) {
      const std::string_view text = field.text;
      for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find(' ', at), text.size());
        if (end > at) words.emplace_back(text.substr(at, end - at));
        at = end + 1;
      }
    }
    words.erase(words.begin());
    const auto is_start = [](const std::string& word) {
      return program_name(word) == "srun" || program_name(word).starts_with("python") ||
             word.ends_with(".py");
    };
    return std::ranges::any_of(words, is_start) || starts_ranks(words);
  }

  void take_folder(const ShellCommand& command, const std::vector<PlacedWord>& fields) {
    const auto home = write_symbol({SymbolKind::variable, "HOME"});
    const auto folder = fields.size() == 2 ? fields[1].text : home;
    const auto submitted = write_symbol({SymbolKind::variable, "SLURM_SUBMIT_DIR"});
    if (folder == submitted || folder == as_splitting(submitted))
      return add_note(command, "ranks start in the folder in which you call ddpsubmit");
    auto& step = add_step(command.begin, command.end, fields);
    step.kind = Kind::folder;
    step.value = folder;
  }

  /// mapfile -t NAME < <(…): NAME is the last word. read A B sets several.
  void take_read_variable(const ShellCommand& command, const std::vector<PlacedWord>& fields,
                          ScriptStep& step) {
    std::string read;
    for (const auto& redirection : command.redirections) read += scope_.value_of(redirection);
    step.value = read;
    std::vector<std::string> names;
    for (const auto& field : fields)
      if (is_name(field.text) && &field != &fields.front()) names.push_back(field.text);
    if (names.size() == 1 && fields.back().text == names[0]) {
      step.kind = Kind::assignment;
      step.name = names[0];
    }
    for (const auto& name : names) {
      if (has_symbol(read, SymbolKind::address)) {
        scope_.set_address(name);
      } else if (fields[0].text == "read") {
        scope_.forget(name);
      } else {
        scope_.set(name, unknown_element(name));
      }
    }
  }

  const ShellScript& script_;
  ShellScope& scope_;
  Errors& errors_;
  ScriptSteps found_;
  bool has_program_ = false;  ///< a line stands before that may be the program of the ranks
  bool has_launch_ = false;   ///< a command that starts ranks stands before, kept or refused
};

}  // namespace

ScriptSteps read_steps(const ShellScript& script, ShellScope& scope, Errors& errors) {
  return StepReader(script, scope, errors).read();
}

}  // namespace ddp::cli
