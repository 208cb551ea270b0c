#include "cli/commands/torchrun/torchrun_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kEndOfTorchrunOptions = "--";
constexpr std::string_view kSeeTorchrunHelp = "see: ddpsubmit torchrun --help";

/// A word that begins an option, taken apart.
struct OptionWord {
  const TorchrunOption* row = nullptr;  ///< nullptr: torchrun has no such option
  std::string name;                     ///< as it was written
  std::optional<std::string> value;     ///< behind '=', or behind the letter of a short name
};

bool is_option_word(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

/// argparse takes "-1" as a value.
bool is_negative_number(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

/// "-r3": a letter with its value.
OptionWord split_short_word(const std::string& word) {
  const auto* row = find_torchrun_option(std::string_view(word).substr(0, 2));
  const bool has_value = row != nullptr && word.size() > 2 && !row->option.value.empty();
  if (!has_value) return {find_torchrun_option(word), word, std::nullopt};
  const std::size_t begin = word[2] == '=' ? 3 : 2;
  return {row, word.substr(0, 2), word.substr(begin)};
}

OptionWord split_option_word(const std::string& word) {
  if (!word.starts_with("--")) return split_short_word(word);
  const auto equals = word.find('=');
  if (equals == word.npos) return {find_torchrun_option(word), word, std::nullopt};
  const auto name = word.substr(0, equals);
  return {find_torchrun_option(name), name, word.substr(equals + 1)};
}

bool takes_next(const OptionWord& word) {
  return word.row != nullptr && !word.row->option.value.empty() && !word.value;
}

/// Whether the word after `at` is the value of the option there.
bool has_value_behind(std::span<const std::string> words, std::size_t at) {
  return at + 1 < words.size() && (!is_option_word(words[at + 1]) || is_negative_number(words[at + 1]));
}

bool asks_for_no_option(std::string_view name) {
  return name == torchrun::kJson || name == torchrun::kHelp || name == "-h";
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const auto& row : torchrun_options()) names.emplace_back(row.option.name);
  return names;
}

class TorchrunReader {
 public:
  TorchrunReader(std::span<const std::string> words, const EnvMap& environment)
      : words_(words), environment_(environment) {}

  tl::expected<TorchrunLine, Errors> read() {
    const auto options = count_torchrun_options(words_);
    for (at_ = 0; at_ < options; ++at_) {
      if (words_[at_] != kEndOfTorchrunOptions) read_option();
    }
    read_script(words_.subspan(options));
    for (const auto& row : torchrun_options()) read_variable(row);
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return std::move(line_);
  }

 private:
  void read_option() {
    auto word = split_option_word(words_[at_]);
    if (asks_for_no_option(word.name)) return;
    if (word.row == nullptr) return report_unknown(word.name);
    const auto& option = word.row->option;
    std::string written = words_[at_];
    if (takes_next(word)) {
      if (!has_value_behind(words_, at_))
        return report(fmt::format("{} needs a value: {}", word.name, option.value));
      word.value = words_[++at_];
      written += " " + *word.value;
    } else if (option.value.empty() && word.value) {
      return report(fmt::format("{} takes no value", word.name));
    }
    if (option.name == torchrun::kSet) return line_.settings.push_back(*word.value);
    line_.options.insert_or_assign(std::string(option.name),
                                   GivenOption{word.value.value_or(""), std::move(written)});
  }

  void read_script(std::span<const std::string> words) {
    if (words.empty() || words.front().empty())
      return report("the line has no script", "the script stands behind the options: torchrun train.py");
    line_.script = words.front();
    // argparse drops a "--" right behind the script, and no later one.
    const bool has_mark = words.size() > 1 && words[1] == kEndOfTorchrunOptions;
    line_.arguments.assign(words.begin() + (has_mark ? 2 : 1), words.end());
  }

  void read_variable(const TorchrunOption& row) {
    const auto name = variable_of(row);
    const auto value = name.empty() ? std::nullopt : environment_.get(name);
    if (!value || line_.has(row.option.name)) return;
    const auto written = name + "=" + *value;
    if (!row.option.value.empty()) {
      line_.options.emplace(row.option.name, GivenOption{*value, written});
    } else if (const auto number = parse_whole_number(*value); !number) {
      report(fmt::format("the variable {} is '{}', but must be 0 or 1", name, *value),
             "change it, or unset it");
    } else if (*number != 0) {
      line_.options.emplace(row.option.name, GivenOption{"", written});
    }
  }

  void report_unknown(const std::string& name) {
    const auto hint = suggest(name, known_names());
    report(fmt::format("'torchrun' has no option '{}'", name),
           hint.empty() ? "options of the script stand behind the script; " + std::string(kSeeTorchrunHelp)
                        : hint);
  }

  void report(std::string message, std::string hint = std::string(kSeeTorchrunHelp)) {
    errors_.push_back({ExitCode::usage, std::move(message), std::move(hint)});
  }

  std::span<const std::string> words_;
  const EnvMap& environment_;
  std::size_t at_ = 0;
  TorchrunLine line_;
  Errors errors_;
};

}  // namespace

const GivenOption* TorchrunLine::find(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? nullptr : &found->second;
}

std::size_t count_torchrun_options(std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size()) {
    if (words[at] == kEndOfTorchrunOptions) return at + 1;
    if (!is_option_word(words[at])) return at;
    at += takes_next(split_option_word(words[at])) && has_value_behind(words, at) ? 2 : 1;
  }
  return words.size();
}

tl::expected<TorchrunLine, Errors> parse_torchrun_line(std::span<const std::string> words,
                                                       const EnvMap& environment) {
  return TorchrunReader(words, environment).read();
}

}  // namespace ddp::cli
