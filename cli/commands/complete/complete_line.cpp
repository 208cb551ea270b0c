#include "cli/commands/complete/complete_line.hpp"

#include <algorithm>
#include <set>

#include "cli/commands/command_line.hpp"
#include "cli/commands/complete/completers.hpp"

namespace ddp::cli {
namespace {

struct CommonOption {
  std::string_view name;
  std::string_view doc;
};
constexpr CommonOption kHelpWord{"--help", "print help and exit"};
constexpr CommonOption kJsonWord{"--json", "print JSON on stdout"};
constexpr CommonOption kVersionWord{"--version", "print the version and exit"};

bool looks_like_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

void add_if(std::string_view name, std::string_view doc, std::string_view begin, Candidates& candidates) {
  if (name.starts_with(begin)) candidates.push_back({std::string(name), std::string(doc)});
}

Candidates complete_verb(std::span<const Command> commands, const std::string& begin) {
  Candidates candidates;
  for (const auto& command : commands) {
    if (is_listed(command)) add_if(command.name, command.summary, begin, candidates);
  }
  if (begin.starts_with('-')) {
    for (const auto& option : {kHelpWord, kVersionWord}) add_if(option.name, option.doc, begin, candidates);
  }
  return candidates;
}

/// The words behind a verb.
class VerbLine {
 public:
  VerbLine(const Command& command, std::span<const std::string> before, const Context& context)
      : command_(command), context_(context) {
    for (const auto& word : before) take(word);
  }

  [[nodiscard]] Candidates complete(const std::string& begin) const {
    if (only_rest_) return {};
    if (open_option_ != nullptr) return ask(open_option_->kind, begin, {});
    if (!only_operands_ && begin.starts_with('-')) return complete_option(begin);
    auto candidates = complete_operand(begin);
    return candidates.empty() && begin.empty() && !only_operands_ ? list_options(begin) : candidates;
  }

 private:
  void take(const std::string& word) {
    if (only_rest_) return;
    if (open_option_ != nullptr) {
      open_option_ = nullptr;
    } else if (only_operands_ || !looks_like_option(word)) {
      operands_.push_back(word);
      only_operands_ = only_operands_ || command_.count_options != nullptr;  // the rest is for the program
    } else if (word == kEndOfOptions) {
      only_operands_ = true;
    } else {
      take_option(word);
    }
  }

  void take_option(const std::string& word) {
    const auto equals = word.find('=');
    const auto* option = find_option(word.substr(0, equals));
    given_.insert(option == nullptr ? word.substr(0, equals) : std::string(option->name));
    if (option != nullptr && !option->value.empty() && equals == word.npos) open_option_ = option;
    only_rest_ = option != nullptr && option->takes == OptionTakes::rest;
  }

  [[nodiscard]] const Option* find_option(std::string_view name) const {
    const auto found = std::ranges::find_if(command_.options, [name](const Option& option) {
      return option.name == name || (!name.empty() && option.short_name == name);
    });
    return found == command_.options.end() ? nullptr : &*found;
  }

  [[nodiscard]] Candidates complete_option(const std::string& begin) const {
    const auto equals = begin.find('=');
    if (equals == begin.npos) return list_options(begin);
    const auto* option = find_option(begin.substr(0, equals));
    if (option == nullptr || option->value.empty()) return {};
    return ask(option->kind, begin.substr(equals + 1), begin.substr(0, equals + 1));
  }

  [[nodiscard]] Candidates list_options(const std::string& begin) const {
    Candidates candidates;
    const auto add = [&](std::string_view name, std::string_view doc) {
      if (!given_.contains(std::string(name))) add_if(name, doc, begin, candidates);
    };
    for (const auto& option : command_.options) add(option.name, option.doc);
    if (command_.answers == AnswerForm::text_or_json) add(kJsonWord.name, kJsonWord.doc);
    add(kHelpWord.name, kHelpWord.doc);
    return candidates;
  }

  /// The operand to which the word at `index` belongs; nullptr: the verb takes fewer words.
  [[nodiscard]] const Operand* operand_at(std::size_t index) const {
    for (const auto& operand : command_.operands) {
      const bool takes_all = operand.arity == Arity::any || operand.arity == Arity::at_least_one;
      if (takes_all || index == 0) return &operand;
      --index;
    }
    return nullptr;
  }

  [[nodiscard]] Candidates complete_operand(const std::string& begin) const {
    const auto* operand = operand_at(operands_.size());
    if (operand == nullptr) return {};
    if (operand->choices.empty()) return ask(operand->kind, begin, {});
    Candidates candidates;
    for (const auto& choice : operand->choices) add_if(choice.word, choice.doc, begin, candidates);
    return candidates;
  }

  /// Every candidate stands behind `settled`, the part of the word that is not asked about.
  [[nodiscard]] Candidates ask(WordKind kind, const std::string& begin, const std::string& settled) const {
    Question question{.begin = begin, .context = context_};
    for (std::size_t index = 0; index < operands_.size(); ++index) {
      const auto* operand = operand_at(index);
      if (operand != nullptr) note(*operand, operands_[index], question);
    }
    auto candidates = complete_word(kind, question);
    for (auto& candidate : candidates) candidate.word.insert(0, settled);
    return candidates;
  }

  static void note(const Operand& operand, const std::string& word, Question& question) {
    if (operand.kind == WordKind::config_file) question.config_file = word;
    if (operand.kind == WordKind::assignment) question.assignments.push_back(word);
    if (operand.kind == WordKind::run || operand.kind == WordKind::open_run ||
        operand.kind == WordKind::checkpoint)
      question.runs.push_back(word);
  }

  const Command& command_;
  const Context& context_;
  std::vector<std::string> operands_;
  std::set<std::string> given_;          ///< options
  const Option* open_option_ = nullptr;  ///< whose value comes next
  bool only_operands_ = false;
  bool only_rest_ = false;  ///< the words belong to an option that takes all that follow
};

}  // namespace

Candidates complete_line(std::span<const Command> commands, const std::vector<std::string>& words,
                         const Context& context) {
  if (words.empty()) return {};
  const std::span before(words.begin(), words.end() - 1);
  const auto verb =
      std::ranges::find_if(before, [](const std::string& word) { return !word.starts_with('-'); });
  if (verb == before.end()) return complete_verb(commands, words.back());
  const auto command = std::ranges::find(commands, *verb, &Command::name);
  if (command == commands.end()) return {};
  return VerbLine(*command, {verb + 1, before.end()}, context).complete(words.back());
}

}  // namespace ddp::cli
