#include "ddp/jobenv/shell_quote.hpp"

#include <algorithm>

namespace ddp {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

}  // namespace

std::string quote_for_shell(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string render_command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const auto& word : argv) {
    if (!line.empty()) line += ' ';
    line += quote_for_shell(word);
  }
  return line;
}

std::string quote_on_one_line(std::string_view text) {
  if (text.find_first_of("\n\t") == std::string_view::npos) return quote_for_shell(text);
  std::string quoted = "$'";
  for (const char c : text) {
    if (c == '\n')
      quoted += "\\n";
    else if (c == '\t')
      quoted += "\\t";
    else
      quoted += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return quoted + "'";
}

}  // namespace ddp
