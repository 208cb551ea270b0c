#include "cli/commands/torchrun/torchrun_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "cli/torchrun/option_word.hpp"
#include "cli/torchrun/torchrun_options.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kSeeTorchrunHelp = "see: ddpsubmit torchrun --help";

bool is_option_word(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

/// argparse takes "-1" as a value.
bool is_negative_number(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

bool takes_next(const std::optional<Option>& option, const OptionWord& word) {
  return option && !option->value.empty() && !word.value;
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
  for (const auto& option : line_options()) names.emplace_back(option.name);
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
    const auto option = find_line_option(word.name);
    if (!option) return report_unknown(word.name);
    std::string written = words_[at_];
    if (takes_next(option, word)) {
      if (!has_value_behind(words_, at_))
        return report(fmt::format("{} needs a value: {}", word.name, option->value));
      word.value = words_[++at_];
      written += " " + *word.value;
    } else if (option->value.empty() && word.value) {
      return report(fmt::format("{} takes no value", word.name));
    }
    if (option->name == torchrun::kSet) return line_.settings.push_back(*word.value);
    line_.options.insert_or_assign(std::string(option->name),
                                   LineValue{word.value.value_or(""), std::move(written)});
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
    if (!value || line_.has(row.name)) return;
    const auto written = name + "=" + *value;
    if (!row.value.empty()) {
      line_.options.emplace(row.name, LineValue{*value, written});
    } else if (const auto number = parse_whole_number(*value); !number) {
      report(fmt::format("the variable {} is '{}', but must be 0 or 1", name, *value),
             "change it, or unset it");
    } else if (*number != 0) {
      line_.options.emplace(row.name, LineValue{"", written});
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

const LineValue* TorchrunLine::find(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? nullptr : &found->second;
}

std::size_t count_torchrun_options(std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size()) {
    if (words[at] == kEndOfTorchrunOptions) return at + 1;
    if (!is_option_word(words[at])) return at;
    const auto word = split_option_word(words[at]);
    at += takes_next(find_line_option(word.name), word) && has_value_behind(words, at) ? 2 : 1;
  }
  return words.size();
}

tl::expected<TorchrunLine, Errors> parse_torchrun_line(std::span<const std::string> words,
                                                       const EnvMap& environment) {
  return TorchrunReader(words, environment).read();
}

}  // namespace ddp::cli
