#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/view/frame.hpp"
#include "cli/top/view/line.hpp"

namespace ddp::cli {

enum class Align { left, right };

/// Puts a line together from left to right, never wider than its frame.
class LineBuilder {
 public:
  explicit LineBuilder(const Frame& frame) : left_(frame.columns), charset_(frame.charset) {}

  /// As wide as the text is, and cut where there is no room.
  LineBuilder& add(std::string_view text, Style style = Style::plain);
  /// Exactly so wide.
  LineBuilder& add_cell(std::string_view text, std::size_t columns, Align align = Align::left,
                        Style style = Style::plain);
  LineBuilder& gap(std::size_t columns) { return add_cell("", columns); }
  /// At the right end of the line; left out where there is no room for it.
  LineBuilder& add_at_end(std::string_view text, Style style = Style::plain);

  [[nodiscard]] std::size_t room() const { return left_; }
  [[nodiscard]] Line finish(Row row = Row::plain) { return {std::move(spans_), row}; }

 private:
  std::size_t left_;
  Charset charset_;
  std::vector<Span> spans_;
};

/// What is too wide loses the middle of its longest word, such as the name of a run, and else its end.
[[nodiscard]] std::string shorten_longest_word(std::string_view text, std::size_t columns, Charset charset);

/// Text in lines of whole words; the last of at most `rows` is cut.
[[nodiscard]] std::vector<std::string> wrap_words(std::string_view text, std::size_t columns,
                                                  std::size_t rows, Charset charset);

}  // namespace ddp::cli
