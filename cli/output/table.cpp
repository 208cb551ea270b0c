#include "cli/output/table.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace ddp::cli {
namespace {

constexpr std::size_t kBetweenColumns = 2;
constexpr std::size_t kNarrowestColumn = 12;

using TableRow = std::vector<std::string>;

std::vector<std::size_t> widths_of(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  }
  return widths;
}

/// Takes from the widest column until all fit, or none can be narrowed. The first one names the rows.
void narrow_to(std::size_t columns, std::vector<std::size_t>& widths) {
  auto used = std::accumulate(widths.begin(), widths.end(), kBetweenColumns * (widths.size() - 1));
  while (used > columns) {
    const auto widest = std::max_element(widths.begin() + 1, widths.end());
    if (widest == widths.end() || *widest <= kNarrowestColumn) return;
    --*widest;
    --used;
  }
}

/// Where a line of at most `width` bytes ends: behind a whole word, or within one that is longer.
std::size_t end_of_table_line(std::string_view text, std::size_t width) {
  const auto blank = text.rfind(' ', width);
  if (blank != text.npos && text.find_first_not_of(' ') < blank) return blank;
  auto end = width;
  const auto is_inside_character = [&] { return (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; };
  while (end > 1 && is_inside_character()) --end;
  return end;
}

TableRow wrap_cell(std::string_view text, std::size_t width) {
  TableRow lines;
  while (text.size() > width) {
    const auto end = end_of_table_line(text, width);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  lines.emplace_back(text);
  return lines;
}

std::string render_table_line(const std::vector<TableRow>& cells, std::size_t number,
                              const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const auto text = number < cells[column].size() ? cells[column][number] : std::string();
    line += text;
    if (column + 1 < cells.size()) line.append(widths[column] - text.size() + kBetweenColumns, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string render_table(const std::vector<std::vector<std::string>>& rows,
                         std::optional<std::size_t> columns) {
  auto widths = widths_of(rows);
  if (columns && !widths.empty()) narrow_to(*columns, widths);
  std::string text;
  for (const auto& row : rows) {
    std::vector<TableRow> cells;
    std::size_t height = 1;
    for (std::size_t column = 0; column < row.size(); ++column) {
      cells.push_back(wrap_cell(row[column], widths[column]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t number = 0; number < height; ++number) text += render_table_line(cells, number, widths);
  }
  return text;
}

}  // namespace ddp::cli
