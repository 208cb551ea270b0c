#pragma once

#include <string_view>

#include "cli/import/shell_syntax.hpp"

namespace ddp::cli {

/// Reads words from a text of bash. It stands at `at()`, and moves forward.
class ShellReader {
 public:
  ShellReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char next() const { return is_at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip(std::size_t count) { at_ += count; }
  /// Blanks and continued line ends.
  void skip_blanks();
  void skip_to_line_end();
  /// A line, without its end.
  [[nodiscard]] std::string_view take_line();

  /// A word, up to a blank or an operator.
  [[nodiscard]] ShellWord take_word();
  /// "> file", "2>&1", "<<EOF": the operator and its word.
  [[nodiscard]] ShellWord take_redirection();
  /// Whether a redirection begins here, perhaps with a number.
  [[nodiscard]] bool sees_redirection() const;

  /// Where a quote or bracket begins that does not end; npos: all of them end.
  [[nodiscard]] std::size_t open_end() const { return open_end_; }

 private:
  void take_part(ShellWord& word);
  void take_quoted(ShellWord& word);
  void take_dollar(ShellWord& word, Quoting quoting);
  void take_array(ShellWord& word);
  void take_process(ShellWord& word);
  void add_text(ShellWord& word, std::string_view text, Quoting quoting);
  void add_pattern(ShellWord& word);
  /// Moves behind the bracket that closes the one before here.
  [[nodiscard]] std::string take_until_closed(char opening, char closing);
  [[nodiscard]] std::string take_until_quote(char quote);

  std::string_view text_;
  std::size_t at_;
  std::size_t open_end_ = std::string_view::npos;
};

}  // namespace ddp::cli
