#include "cli/top/view/line_builder.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ddp::cli {
namespace {

constexpr std::size_t kMostCharacterBytes = 4;  // of a character
constexpr std::size_t kLeastOfName = 6;         // columns

}  // namespace

std::string text_of(const Line& line) {
  std::string text;
  for (const auto& span : line.spans) text += span.text;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

LineBuilder& LineBuilder::add(std::string_view text, Style style) {
  auto shown = fit_columns(text, left_, charset_);
  left_ -= std::min(left_, columns_of(shown));
  if (!shown.empty()) spans_.push_back({std::move(shown), style});
  return *this;
}

LineBuilder& LineBuilder::add_cell(std::string_view text, std::size_t columns, Align align, Style style) {
  columns = std::min(columns, left_);
  auto shown = fit_columns(text, columns, charset_);
  const std::string blanks(columns - std::min(columns, columns_of(shown)), ' ');
  left_ -= columns;
  if (columns == 0) return *this;
  spans_.push_back({align == Align::left ? shown + blanks : blanks + shown, style});
  return *this;
}

LineBuilder& LineBuilder::add_at_end(std::string_view text, Style style) {
  const auto shown = make_showable(text, charset_);
  const auto columns = columns_of(shown);
  if (columns + 2 > left_) return *this;
  gap(left_ - columns);
  return add(shown, style);
}

std::string shorten_longest_word(std::string_view text, std::size_t columns, Charset charset) {
  auto shown = make_showable(text, charset);
  const auto width = columns_of(shown);
  if (width <= columns) return shown;
  std::size_t begin = 0;
  std::size_t size = 0;
  for (std::size_t at = 0; at < shown.size();) {
    const auto end = std::min(shown.find(' ', at), shown.size());
    if (end - at > size) std::tie(begin, size) = std::pair(at, end - at);
    at = end + 1;
  }
  const std::string_view mark = charset == Charset::utf8 ? "…" : "~";
  const auto drop = width - columns + 1;  // the mark takes a column
  const bool is_ascii = columns_of(shown.substr(begin, size)) == size;
  if (is_ascii && size >= drop + kLeastOfName) shown.replace(begin + (size - drop + 1) / 2, drop, mark);
  return fit_columns(shown, columns, charset);
}

std::vector<std::string> wrap_words(std::string_view text, std::size_t columns, std::size_t rows,
                                    Charset charset) {
  std::vector<std::string> lines;
  auto rest = make_showable(text, charset);
  while (!rest.empty() && lines.size() < rows) {
    if (lines.size() + 1 == rows || columns_of(rest) <= columns) {
      lines.push_back(fit_columns(rest, columns, charset));
      break;
    }
    auto end = rest.rfind(' ', columns * kMostCharacterBytes);
    while (end != rest.npos && end > 0 && columns_of(std::string_view(rest).substr(0, end)) > columns)
      end = rest.rfind(' ', end - 1);
    if (end == rest.npos || end == 0) {  // a word that is wider than the line
      lines.push_back(fit_columns(rest, columns, charset));
      break;
    }
    lines.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return lines;
}

}  // namespace ddp::cli
