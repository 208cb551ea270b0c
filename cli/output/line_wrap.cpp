#include "cli/output/line_wrap.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

/// Of a terminal that is narrower the lines are wider.
constexpr std::size_t kNarrowestText = 20;
constexpr std::size_t kFurtherIndent = 2;

std::size_t count_leading_blanks(std::string_view text) {
  return std::min(text.find_first_not_of(' '), text.size());
}

/// "   | what a rank printed" or "12 | key: value"
bool is_quote(std::string_view line) {
  const auto mark = line.find_first_not_of(" 0123456789");
  return mark != line.npos && line[mark] == '|';
}

/// Where the line ends: at the last blank that fits, or at the first behind a word that does not.
std::size_t find_break(std::string_view text, std::size_t width) {
  const auto first = count_leading_blanks(text);
  const auto blank = text.rfind(' ', width);
  if (blank != text.npos && blank > first) return blank;
  return std::min(text.find(' ', std::max(first, width)), text.size());
}

std::string wrap_line(std::string_view line, std::size_t columns) {
  const auto indent = count_leading_blanks(line);
  const std::string further(indent + kFurtherIndent, ' ');
  const auto width = std::max(columns, further.size() + kNarrowestText) - further.size();
  std::string text(further.substr(0, indent));
  line.remove_prefix(indent);
  const auto end = line.size() + indent <= columns ? line.size() : find_break(line, width + kFurtherIndent);
  text += line.substr(0, end);
  line.remove_prefix(end);
  if (count_leading_blanks(line) == line.size()) return text;
  for (const auto& part : break_at_blanks(line, width)) text += '\n' + further + part;
  return text;
}

}  // namespace

std::vector<std::string> break_at_blanks(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  text.remove_prefix(count_leading_blanks(text));
  while (text.size() > width) {
    const auto end = find_break(text, width);
    if (end == text.size()) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(count_leading_blanks(text));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string wrap_lines(std::string_view text, std::optional<std::size_t> columns) {
  if (!columns) return std::string(text);
  std::string wrapped;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    wrapped += is_quote(line) ? std::string(line) : wrap_line(line, *columns);
    if (end < text.size()) wrapped += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

}  // namespace ddp::cli
