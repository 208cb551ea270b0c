#include "cli/import/shell_reader.hpp"

#include <algorithm>
#include <array>

namespace ddp::cli {
namespace {

constexpr std::string_view kOperators = " \t\n;&|<>()";
constexpr std::string_view kPatterns = "*?[{";
constexpr std::string_view kSpecialVariables = "@*#?-$!";

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_assignment_so_far(const ShellWord& word) {
  if (word.parts.size() != 1 || word.parts[0].kind != ShellPart::Kind::text) return false;
  const auto& text = word.parts[0].text;
  if (text.size() < 2 || text.back() != '=' || word.parts[0].quoting == Quoting::quoted) return false;
  const auto name = std::string_view(text).substr(0, text.size() - (text[text.size() - 2] == '+' ? 2 : 1));
  return !name.empty() && std::ranges::all_of(name, is_name_letter);
}

/// Whether bash reads '~' as a folder at the end of the word: at its front, and in NAME=~ and NAME=…:~.
bool takes_tilde(const ShellWord& word) {
  if (word.parts.empty() || is_assignment_so_far(word)) return true;
  const auto is_plain = [](const ShellPart& part) {
    return part.kind == ShellPart::Kind::text && part.quoting == Quoting::none;
  };
  const auto& first = word.parts.front();
  const auto sign = first.text.find('=');
  if (!is_plain(first) || sign == std::string::npos || !is_plain(word.parts.back())) return false;
  const ShellWord name{word.begin, word.end, {{first.kind, first.text.substr(0, sign + 1), first.quoting}}};
  return is_assignment_so_far(name) && word.parts.back().text.ends_with(':');
}

}  // namespace

void ShellReader::skip_blanks() {
  while (!is_at_end()) {
    if (sees("\\\n")) {
      at_ += 2;
    } else if (next() == ' ' || next() == '\t') {
      ++at_;
    } else {
      return;
    }
  }
}

void ShellReader::skip_to_line_end() {
  at_ = std::min(text_.find('\n', at_), text_.size());
}

std::string_view ShellReader::take_line() {
  const auto begin = at_;
  skip_to_line_end();
  const auto line = text_.substr(begin, at_ - begin);
  if (!is_at_end()) ++at_;
  return line;
}

bool ShellReader::sees_redirection() const {
  const auto sign = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
  const auto rest = text_.substr(sign);
  if (rest.starts_with("<(") || rest.starts_with(">(")) return false;
  return rest.starts_with('<') || rest.starts_with('>') || (sign == at_ && rest.starts_with("&>"));
}

ShellWord ShellReader::take_redirection() {
  static constexpr std::array<std::string_view, 12> kSigns = {"&>>", "&>", ">>", ">&", ">|", "<<<",
                                                              "<<-", "<<", "<&", "<>", ">",  "<"};
  const auto begin = at_;
  while (next() >= '0' && next() <= '9') ++at_;
  const auto* sign = std::ranges::find_if(kSigns, [this](std::string_view each) { return sees(each); });
  if (sign != kSigns.end()) at_ += sign->size();
  skip_blanks();
  ShellWord target = take_word();
  target.begin = begin;
  return target;
}

ShellWord ShellReader::take_word() {
  ShellWord word{at_, at_, {}};
  while (!is_at_end()) {
    const bool is_array = next() == '(' && is_assignment_so_far(word);
    const bool is_process = sees("<(") || sees(">(");
    if (!is_array && !is_process && kOperators.find(next()) != std::string_view::npos) break;
    if (is_array) {
      take_array(word);
    } else if (is_process) {
      take_process(word);
    } else {
      take_part(word);
    }
  }
  word.end = at_;
  return word;
}

void ShellReader::add_text(ShellWord& word, std::string_view text, Quoting quoting) {
  auto& parts = word.parts;
  if (!parts.empty() && parts.back().kind == ShellPart::Kind::text && parts.back().quoting == quoting) {
    parts.back().text += text;
  } else {
    parts.push_back({ShellPart::Kind::text, std::string(text), quoting});
  }
}

void ShellReader::add_pattern(ShellWord& word) {
  word.parts.push_back({ShellPart::Kind::pattern, std::string(1, next()), Quoting::none});
  ++at_;
}

void ShellReader::take_part(ShellWord& word) {
  const char c = next();
  if (sees("\\\n")) {
    at_ += 2;
  } else if (c == '\\') {
    add_text(word, text_.substr(at_ + 1, 1), Quoting::quoted);
    at_ = std::min(at_ + 2, text_.size());
  } else if (c == '\'' || c == '"') {
    take_quoted(word);
  } else if (c == '$') {
    take_dollar(word, Quoting::none);
  } else if (c == '`') {
    ++at_;
    word.parts.push_back({ShellPart::Kind::command, take_until_quote('`'), Quoting::none});
  } else if (kPatterns.find(c) != std::string_view::npos || (c == '~' && takes_tilde(word))) {
    add_pattern(word);
  } else {
    add_text(word, text_.substr(at_, 1), Quoting::none);
    ++at_;
  }
}

void ShellReader::take_quoted(ShellWord& word) {
  const auto begin = at_;
  const char quote = next();
  ++at_;
  add_text(word, "", Quoting::quoted);
  if (quote == '\'') return add_text(word, take_until_quote(quote), Quoting::quoted);
  while (!is_at_end() && next() != '"') {
    if (sees("\\\n")) {
      at_ += 2;
    } else if (next() == '\\' && at_ + 1 < text_.size()) {
      const bool is_escape = std::string_view("$`\"\\").find(text_[at_ + 1]) != std::string_view::npos;
      add_text(word, text_.substr(at_ + (is_escape ? 1 : 0), is_escape ? 1 : 2), Quoting::quoted);
      at_ += 2;
    } else if (next() == '$') {
      take_dollar(word, Quoting::quoted);
    } else if (next() == '`') {
      ++at_;
      word.parts.push_back({ShellPart::Kind::command, take_until_quote('`'), Quoting::quoted});
    } else {
      add_text(word, text_.substr(at_, 1), Quoting::quoted);
      ++at_;
    }
  }
  if (is_at_end()) open_end_ = std::min(open_end_, begin);
  ++at_;
}

void ShellReader::take_dollar(ShellWord& word, Quoting quoting) {
  using Kind = ShellPart::Kind;
  if (sees("$((")) {
    at_ += 3;
    auto inner = take_until_closed('(', ')');
    if (next() == ')') ++at_;
    word.parts.push_back({Kind::arithmetic, std::move(inner), quoting});
  } else if (sees("$(")) {
    at_ += 2;
    word.parts.push_back({Kind::command, take_until_closed('(', ')'), quoting});
  } else if (sees("${")) {
    at_ += 2;
    word.parts.push_back({Kind::variable, take_until_closed('{', '}'), quoting});
  } else if (sees("$'") && quoting == Quoting::none) {
    at_ += 2;  // what stands for line ends and tabs there is left to bash
    word.parts.push_back({Kind::pattern, "$'" + take_until_quote('\'') + "'", Quoting::none});
  } else {
    auto end = at_ + 1;
    if (end < text_.size() && kSpecialVariables.find(text_[end]) != std::string_view::npos) {
      ++end;
    } else {
      while (end < text_.size() && is_name_letter(text_[end])) ++end;
    }
    const auto name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end;
    if (name.empty()) return add_text(word, "$", quoting);
    word.parts.push_back({Kind::variable, std::string(name), quoting});
  }
}

void ShellReader::take_array(ShellWord& word) {
  const auto begin = at_;
  ++at_;
  ShellPart array{ShellPart::Kind::array, "", Quoting::none};
  while (!is_at_end() && next() != ')') {
    skip_blanks();
    if (next() == '\n') {
      ++at_;
    } else if (next() == '#') {
      skip_to_line_end();
    } else if (next() != ')' && !is_at_end()) {
      const auto before = at_;
      array.elements.push_back(take_word());
      if (at_ == before) ++at_;  // an operator, which has no meaning there
    }
  }
  if (is_at_end()) open_end_ = std::min(open_end_, begin);
  ++at_;
  word.parts.push_back(std::move(array));
}

void ShellReader::take_process(ShellWord& word) {
  const std::string sign(text_.substr(at_, 1));
  at_ += 2;
  word.parts.push_back({ShellPart::Kind::command, take_until_closed('(', ')'), Quoting::none});
}

std::string ShellReader::take_until_closed(char opening, char closing) {
  const auto begin = at_;
  int depth = 1;
  while (!is_at_end()) {
    const char c = next();
    ++at_;
    if (c == '\\') {
      at_ = std::min(at_ + 1, text_.size());
    } else if (c == '\'' || c == '"' || c == '`') {
      (void)take_until_quote(c);
    } else if (c == opening) {
      ++depth;
    } else if (c == closing && --depth == 0) {
      return std::string(text_.substr(begin, at_ - 1 - begin));
    }
  }
  open_end_ = std::min(open_end_, begin - 1);
  return std::string(text_.substr(begin));
}

std::string ShellReader::take_until_quote(char quote) {
  const auto begin = at_;
  while (!is_at_end() && next() != quote) at_ += next() == '\\' && quote != '\'' ? 2U : 1U;
  at_ = std::min(at_, text_.size());
  if (is_at_end()) open_end_ = std::min(open_end_, begin - 1);
  std::string inner(text_.substr(begin, at_ - begin));
  ++at_;
  return inner;
}

std::optional<std::string> ShellWord::plain() const {
  const bool is_plain =
      parts.size() == 1 && parts[0].kind == ShellPart::Kind::text && parts[0].quoting == Quoting::none;
  return is_plain ? std::optional(parts[0].text) : std::nullopt;
}

std::vector<ShellPart> parse_shell_word(const std::string& text) {
  // In quotes, so that blanks do not end it.
  const std::string quoted = '"' + text + '"';
  ShellReader reader(quoted, 0);
  return reader.take_word().parts;
}

}  // namespace ddp::cli
