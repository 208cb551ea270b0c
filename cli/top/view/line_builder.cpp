#include "cli/top/view/line_builder.hpp"

#include <algorithm>
#include <utility>

namespace ddp::cli {

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

std::vector<std::string> wrap_words(std::string_view text, std::size_t columns, std::size_t rows,
                                    Charset charset) {
  std::vector<std::string> lines;
  auto rest = make_showable(text, charset);
  while (!rest.empty() && lines.size() < rows) {
    if (lines.size() + 1 == rows || columns_of(rest) <= columns) {
      lines.push_back(fit_columns(rest, columns, charset));
      break;
    }
    auto end = rest.rfind(' ');
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
