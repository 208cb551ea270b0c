#include "cli/output/table.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "cli/output/line_wrap.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kBetweenColumns = 2;
constexpr std::size_t kNarrowestColumn = 12;
constexpr std::size_t kLongestWholeWord = 24;  // longer ones are mostly paths

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

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    longest = std::max(longest, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

/// What each column needs to show whole words: all of its head, and below it those that are not too long. The
/// first one, whose ids people copy, is never wrapped.
std::vector<std::size_t> widths_of_words(const std::vector<TableRow>& rows,
                                         const std::vector<std::size_t>& widths) {
  std::vector<std::size_t> words(widths.size(), kNarrowestColumn);
  for (const auto& row : rows) {
    const auto most = &row == &rows.front() ? std::string_view::npos : kLongestWholeWord;
    for (std::size_t column = 0; column < row.size(); ++column)
      words[column] = std::max(words[column], std::min(longest_word(row[column]), most));
  }
  for (std::size_t column = 0; column < words.size(); ++column)
    words[column] = column == 0 ? widths[column] : std::min(words[column], widths[column]);
  return words;
}

std::size_t width_of_line(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kBetweenColumns * (widths.size() - 1));
}

/// Takes from the widest column until all fit, or each is as narrow as it may become.
void narrow_to(std::size_t columns, const std::vector<std::size_t>& least, std::vector<std::size_t>& widths) {
  for (auto used = width_of_line(widths); used > columns; --used) {
    auto widest = widths.size();
    for (std::size_t column = 1; column < widths.size(); ++column) {
      const bool is_wider = widest == widths.size() || widths[column] > widths[widest];
      if (widths[column] > least[column] && is_wider) widest = column;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

/// Words are broken only where nothing else helps.
void fit_widths(std::size_t columns, const std::vector<TableRow>& rows, std::vector<std::size_t>& widths) {
  narrow_to(columns, widths_of_words(rows, widths), widths);
  narrow_to(columns, std::vector<std::size_t>(widths.size(), kNarrowestColumn), widths);
}

/// Where a line of at most `width` bytes ends: behind a whole word, or within one that is longer, there
/// behind a folder of a path.
std::size_t end_of_table_line(std::string_view text, std::size_t width) {
  const auto blank = text.rfind(' ', width);
  if (blank != text.npos && text.find_first_not_of(' ') < blank) return blank;
  const auto slash = text.rfind('/', width - 1);
  if (slash != text.npos && slash > 0) return slash + 1;
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

bool fits_table(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  const auto widths = widths_of(rows);
  return widths.empty() || width_of_line(widths_of_words(rows, widths)) <= columns;
}

std::vector<TableRow> wrap_last_column(const std::vector<TableRow>& rows, std::size_t columns) {
  if (rows.empty()) return rows;
  auto widths = widths_of(rows);
  const auto last = widths.size() - 1;
  widths[last] = 0;
  const auto before = width_of_line(widths);
  const auto width = std::max(columns, before + 2 * kNarrowestColumn) - before;
  std::vector<TableRow> wrapped;
  for (const auto& row : rows) {
    if (row.size() <= last) {
      wrapped.push_back(row);
      continue;
    }
    const auto lines = break_at_blanks(row[last], width);
    wrapped.push_back(row);
    wrapped.back()[last] = lines.front();
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
      wrapped.emplace_back(last);
      wrapped.back().push_back(*line);
    }
  }
  return wrapped;
}

std::string render_table(const std::vector<std::vector<std::string>>& rows,
                         std::optional<std::size_t> columns) {
  auto widths = widths_of(rows);
  if (columns && !widths.empty()) fit_widths(*columns, rows, widths);
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
