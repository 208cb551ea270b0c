#include "cli/import/directives.hpp"

#include <algorithm>

#include "cli/import/shell_reader.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kDirective = "#SBATCH";
constexpr std::size_t kMostTasks = 10000;

/// sbatch replaces no variables.
std::string literal_of(const ShellWord& word) {
  std::string text;
  for (const auto& part : word.parts) text += (part.kind == ShellPart::Kind::variable ? "$" : "") + part.text;
  return text;
}

bool begins_with_word(const ShellScript& script, const ShellComment& comment, std::string_view word) {
  const auto text = script.text_of(comment.begin, comment.end);
  const bool begins_line = comment.begin == 0 || script.source->text[comment.begin - 1] == '\n';
  return begins_line && text.starts_with(word) &&
         (text.size() == word.size() || text[word.size()] == ' ' || text[word.size()] == '\t');
}

bool is_directive(const ShellScript& script, const ShellComment& comment) {
  return begins_with_word(script, comment, kDirective);
}

std::vector<PlacedWord> words_of_directive(const ShellScript& script, const ShellComment& comment) {
  const auto text = std::string_view(script.source->text).substr(0, comment.end);
  ShellReader reader(text, comment.begin + kDirective.size());
  std::vector<PlacedWord> words;
  while (!reader.is_at_end()) {
    reader.skip_blanks();
    if (reader.is_at_end() || reader.next() == '#') break;
    auto word = reader.take_word();
    while (word.end == reader.at() && !reader.is_at_end() && reader.next() != ' ' && reader.next() != '\t') {
      // &, | and < are letters there, as in a100&ib.
      word.parts.push_back({ShellPart::Kind::text, std::string(1, reader.next()), Quoting::none});
      reader.skip(1);
      auto rest = reader.take_word();
      std::ranges::move(rest.parts, std::back_inserter(word.parts));
      word.end = reader.at();
    }
    words.push_back(
        {literal_of(word), place_at(script.source, word.begin, static_cast<int>(word.end - word.begin))});
  }
  return words;
}

/// `reason`: empty for a comment that says nothing to Slurm.
LineNote note_on_comment(const ShellScript& script, const ShellComment& comment, std::string_view reason) {
  const int line = line_at(*script.source, comment.begin).number;
  if (reason.empty()) return {.first = line, .last = line};
  return {.first = line,
          .last = line,
          .text = script.text_of(comment.begin, comment.end),
          .reason = std::string(reason)};
}

/// Lines that other programs read, or plug-ins of Slurm.
std::string_view reason_of_comment(const ShellScript& script, const ShellComment& comment) {
  if (is_directive(script, comment)) return "sbatch ignores it, because it stands behind the first command";
  if (begins_with_word(script, comment, "#PBS"))
    return "it is an option of PBS; where it counts, write it behind #SBATCH";
  return {};
}

void refuse_burst_buffer(const ShellScript& script, const ShellComment& comment, Errors& errors) {
  for (const auto* word : {"#DW", "#BB"}) {
    if (!begins_with_word(script, comment, word)) continue;
    errors.push_back(config_error(
        place_at(script.source, comment.begin, static_cast<int>(comment.end - comment.begin)),
        std::string("'") + word + "' asks for a burst buffer, and ddpsubmit has no key for it",
        "remove the line, and write --bbf=FILE of sbatch, with a file of these lines, into slurm.options"));
  }
}

/// "1-7:2" or "9".
bool add_range(std::string_view text, std::vector<std::string>& numbers) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto range = text.substr(0, colon);
  const auto dash = std::min(range.find('-'), range.size());
  const auto first = parse_whole_number(range.substr(0, dash));
  const auto last = dash == range.size() ? first : parse_whole_number(range.substr(dash + 1));
  const auto step =
      colon == text.size() ? std::optional<std::int64_t>(1) : parse_whole_number(text.substr(colon + 1));
  if (!first || !last || !step || *step == 0) return false;
  for (auto number = *first; number <= *last; number += *step) {
    numbers.push_back(std::to_string(number));
    if (numbers.size() > kMostTasks) return false;
  }
  return true;
}

}  // namespace

Directives read_directives(const ShellScript& script, Errors& errors) {
  Directives found;
  const auto first_command = script.lines.empty() ? script.source->text.size() : script.lines.front().begin;
  for (const auto& comment : script.comments) {
    const bool is_late = comment.begin > first_command;
    if (is_late || !is_directive(script, comment)) {
      refuse_burst_buffer(script, comment, errors);
      found.notes.push_back(note_on_comment(script, comment, reason_of_comment(script, comment)));
      continue;
    }
    const auto words = words_of_directive(script, comment);
    auto read = read_options(words, BatchProgram::sbatch, errors);
    std::ranges::move(read.options, std::back_inserter(found.options));
    if (read.used < words.size())
      errors.push_back(config_error(words[read.used].place,
                                    "'" + words[read.used].text + "' is not an option of sbatch",
                                    "a job of several parts is one file for each part here"));
  }
  return found;
}

bool ArrayTasks::counts_from_zero() const {
  for (std::size_t index = 0; index < numbers.size(); ++index)
    if (numbers[index] != std::to_string(index)) return false;
  return true;
}

ArrayTasks read_array(const GivenOption& option, Errors& errors) {
  ArrayTasks tasks;
  std::string_view text = option.value;
  if (const auto sign = text.find('%'); sign != text.npos) {
    tasks.at_once = text.substr(sign + 1);
    text = text.substr(0, sign);
  }
  bool is_good = tasks.at_once.empty() || parse_whole_number(tasks.at_once);
  while (is_good && !text.empty()) {
    const auto length = std::min(text.find(','), text.size());
    is_good = add_range(text.substr(0, length), tasks.numbers);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  if (!is_good || tasks.numbers.empty()) {
    errors.push_back(config_error(option.place,
                                  "'" + option.value + "' is not a list of up to 10000 array tasks",
                                  "write it as 0-5, 1,3,9 or 0-99%4"));
    tasks.numbers = {"0"};
  }
  return tasks;
}

}  // namespace ddp::cli
