#include "cli/import/launch_line.hpp"

#include <algorithm>

#include "cli/import/symbolic_text.hpp"
#include "cli/spec/owned_variables.hpp"
#include "cli/torchrun/option_word.hpp"
#include "cli/torchrun/torchrun_options.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

using L = LaunchMeaning;

std::string_view base_name(std::string_view word) {
  return word.substr(word.rfind('/') + 1);
}

bool is_python_program(std::string_view word) {
  return base_name(word).starts_with("python");
}

bool is_shell(std::string_view word) {
  return base_name(word) == "bash" || base_name(word) == "sh";
}

/// The words of a starter: where they begin, and how many they are.
struct FoundStarter {
  RankStarter starter = RankStarter::none;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string python = "python3";
};

FoundStarter find_module(const std::vector<std::string>& words, std::size_t begin) {
  for (auto at = begin + 1; at + 1 < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at] == "-W" || words[at] == "-X") ++at;  // their values
    if (at >= words.size() || words[at] != "-m" || at + 1 >= words.size()) continue;
    const auto& module = words[at + 1];
    const auto starter = module == "torch.distributed.run"        ? RankStarter::torchrun
                         : module == "torch.distributed.launch"   ? RankStarter::launch_module
                         : module == "accelerate.commands.launch" ? RankStarter::accelerate
                                                                  : RankStarter::none;
    return {starter, begin, at + 2, words[begin]};
  }
  return {};
}

/// Only wrappers start another program; the words behind any other program are its arguments.
FoundStarter find_starter(const std::vector<std::string>& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto program = base_name(words[at]);
    const auto folder = words[at].substr(0, words[at].size() - program.size());
    if (program == "torchrun") return {RankStarter::torchrun, at, at + 1, folder + "python3"};
    if (program == "accelerate" && at + 1 < words.size() && words[at + 1] == "launch")
      return {RankStarter::accelerate, at, at + 2, folder + "python3"};
    if (is_python_program(words[at])) return find_module(words, at);
  }
  return {};
}

class LaunchReader {
 public:
  LaunchReader(std::vector<PlacedWord> words, Errors& errors) : words_(std::move(words)), errors_(errors) {}

  LaunchLine read() {
    std::vector<std::string> texts;
    for (const auto& word : words_) texts.push_back(word.text);
    if (!texts.empty() && is_foreign(texts)) return {};
    const auto found = find_starter(texts);
    if (found.starter == RankStarter::none) {
      line_.command = std::move(words_);
      return std::move(line_);
    }
    line_.starter = found.starter;
    line_.variables.emplace_back(kTorchelasticRunId, kDefaultRunId);
    if (found.begin > 0 && !is_wrapper(base_name(texts[0]))) {
      report(words_[0], "'" + texts[0] + "' starts " + texts[found.begin] + ", which ddpsubmit replaces",
             "leave out one of them: ddpsubmit would start '" + texts[0] + "' once for each rank");
    }
    at_ = found.end;
    read_options();
    build_command(found);
    return std::move(line_);
  }

 private:
  void report(const PlacedWord& word, std::string message, std::string advice) {
    errors_.push_back(config_error(word.place, std::move(message), std::move(advice)));
  }

  /// MPI's starters, and starters inside a shell.
  bool is_foreign(const std::vector<std::string>& texts) {
    for (std::size_t at = 0; at < texts.size(); ++at) {
      const bool is_program = at == 0 || is_wrapper(base_name(texts[0]));
      const auto* foreign = is_program ? find_foreign_starter(base_name(texts[at])) : nullptr;
      if (foreign != nullptr) {
        report(words_[at], "'" + texts[at] + "' starts ranks by itself", std::string(foreign->advice));
        return true;
      }
      if (!is_shell(texts[at])) continue;
      for (auto inner = at + 1; inner < texts.size(); ++inner) {
        if (texts[inner].find("torchrun") == std::string::npos &&
            texts[inner].find("torch.distributed.") == std::string::npos &&
            texts[inner].find("accelerate launch") == std::string::npos)
          continue;
        report(words_[inner], "a shell starts torchrun, or a program like it, in each task",
               "write 'srun torchrun …' without a shell, and the other lines of the shell before it");
        return true;
      }
    }
    return false;
  }

  void read_options() {
    while (at_ < words_.size() && words_[at_].text.starts_with('-')) {
      const auto word = words_[at_++];
      if (word.text == kEndOfTorchrunOptions) return;
      const auto row = find_launch_option(line_.starter, split_option_word(word.text).name);
      if (!row) {
        report(word, "'" + word.text + "' has no key in a configuration",
               "remove the option, or let the program read what it needs");
        // A value may follow.
        if (word.text.find('=') == std::string::npos && at_ + 1 < words_.size() &&
            !words_[at_].text.starts_with('-') && !words_[at_].text.ends_with(".py"))
          ++at_;
        continue;
      }
      take(*row, word, value_of(*row, word));
    }
  }

  PlacedWord value_of(const LaunchOption& row, const PlacedWord& word) {
    if (auto value = split_option_word(word.text).value) return {std::move(*value), word.place};
    if (!row.takes_value) return {"", word.place};
    if (at_ < words_.size()) return words_[at_++];
    report(word, "the option '" + word.text + "' has no value", "write one");
    return {"", word.place};
  }

  void take(const LaunchOption& row, const PlacedWord& word, const PlacedWord& value) {
    switch (row.meaning) {
      case L::nodes:
        line_.nodes = value;
        return;
      case L::ranks_per_node:
        line_.ranks_per_node = value;
        return;
      case L::all_ranks:
        line_.all_ranks = value;
        return;
      case L::max_restarts:
        if (!parse_whole_number(value.text))
          report(value, "the number of restarts is not known", "write a number");
        line_.max_restarts = value.text;
        return;
      case L::module:
      case L::no_python:
      case L::run_path:
      case L::use_env:
        return take_flag(row.meaning);
      case L::one_node:
        line_.nodes = PlacedWord{"1", word.place};
        line_.not_needed.push_back(word.text);
        return;
      case L::variable:
        line_.variables.emplace_back(row.text, in_upper_case(row, value.text));
        return;
      case L::flag_variable:
        line_.variables.emplace_back(row.text, "true");
        return;
      case L::not_needed:
        line_.not_needed.push_back(split_option_word(word.text).name);
        return;
      case L::no_effect:
        line_.no_effect.emplace_back(split_option_word(word.text).name,
                                     std::string(row.problem) + " " + std::string(row.text));
        return;
      case L::refused:
        report(word, row.problem.empty() ? "'" + word.text + "' is not understood" : std::string(row.problem),
               std::string(row.text));
        return;
    }
  }

  void take_flag(LaunchMeaning meaning) {
    is_module_ = is_module_ || meaning == L::module;
    has_python_ = has_python_ && meaning != L::no_python;
    runs_path_ = runs_path_ || meaning == L::run_path;
    uses_env_ = uses_env_ || meaning == L::use_env;
  }

  /// accelerate passes the name of the backend in upper case.
  static std::string in_upper_case(const LaunchOption& row, std::string value) {
    if (row.name != "--dynamo-backend") return value;
    std::ranges::transform(value, value.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return value;
  }

  void build_command(const FoundStarter& found) {
    auto& command = line_.command;
    command.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(found.begin));
    const auto place = words_[found.begin].place;
    if (at_ == words_.size()) {
      errors_.push_back(config_error(place, "no script follows the options", "write the script behind them"));
      return;
    }
    if (is_module_ && !has_python_ && !runs_path_)
      errors_.push_back(
          config_error(place, "--no-python and --module cannot be used together", "leave out one of them"));
    const bool has_python = has_python_ || runs_path_;
    if (has_python) command.insert(command.end(), {{found.python, place}, {"-u", place}});
    if (has_python && is_module_ && !runs_path_) command.push_back({"-m", place});
    command.push_back(words_[at_++]);
    if (at_ < words_.size() && words_[at_].text == kEndOfTorchrunOptions) ++at_;
    if (line_.starter == RankStarter::launch_module && !uses_env_)
      command.push_back({"--local-rank=" + write_symbol({SymbolKind::variable, "LOCAL_RANK"}), place});
    command.insert(command.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
  }

  std::vector<PlacedWord> words_;
  Errors& errors_;
  LaunchLine line_;
  std::size_t at_ = 0;
  bool is_module_ = false;
  bool has_python_ = true;
  bool runs_path_ = false;
  bool uses_env_ = false;
};

}  // namespace

bool starts_ranks(const std::vector<std::string>& words) {
  return !words.empty() && (find_foreign_starter(base_name(words[0])) != nullptr ||
                            find_starter(words).starter != RankStarter::none);
}

LaunchLine read_launch_line(std::vector<PlacedWord> words, Errors& errors) {
  return LaunchReader(std::move(words), errors).read();
}

}  // namespace ddp::cli
