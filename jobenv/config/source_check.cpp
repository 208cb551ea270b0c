#include "jobenv/config/source_check.hpp"

#include <array>
#include <cstdio>

#include "jobenv/config/config_limits.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp {
namespace {

std::string code_name(char32_t code) {
  if (code == 0) return "NUL";
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(code));
  return name.data();
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

std::optional<Error> check_indentation(const std::shared_ptr<const SourceText>& source, std::size_t start) {
  const std::string& text = source->text;
  const auto tab = text.find_first_not_of(' ', start);
  if (tab == std::string::npos || text[tab] != '\t') return std::nullopt;
  const auto content = text.find_first_not_of(" \t", tab);
  if (content == std::string::npos || text[content] == '\n' || text[content] == '#') return std::nullopt;
  return config_error(place_at(source, tab), "tab in indentation", "indent with spaces");
}

std::optional<Error> check_character(const std::shared_ptr<const SourceText>& source, std::size_t offset,
                                     const CodePoint& code) {
  if (!code.valid)
    return config_error(place_at(source, offset), "the text is not UTF-8", "save the file as UTF-8");
  const bool is_layout = !source->line_starts.empty() && (code.value == '\n' || code.value == '\t');
  if (is_layout || !is_control_character(code.value)) return std::nullopt;
  return config_error(place_at(source, offset), "control character " + code_name(code.value), "remove it");
}

// yaml-cpp reads to the end of what an open bracket may hold before it says anything of it, a few hundred
// bytes a bracket. Quotes are not looked at: so many that stay open are nothing a person writes.
std::optional<Error> check_open_brackets(const std::shared_ptr<const SourceText>& source) {
  constexpr std::size_t kMaxOpen = 1'000;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < source->text.size(); ++i) {
    const char c = source->text[i];
    if (c == '[' || c == '{') open.push_back(i);
    if ((c == ']' || c == '}') && !open.empty()) open.pop_back();
    if (open.size() > kMaxOpen) return nested_too_deeply(place_at(source, open[kMaxConfigDepth - 1]));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_source_text(const std::shared_ptr<const SourceText>& source) {
  const std::string_view text = source->text;
  if (is_utf16(text))
    return config_error(place_at(source, 0), "the text is UTF-16", "save the file as UTF-8");
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint code = decode_utf8(text.substr(i));
    if (auto error = check_character(source, i, code)) return error;
    i += code.bytes;
  }
  for (const std::size_t start : source->line_starts) {
    if (auto error = check_indentation(source, start)) return error;
  }
  return check_open_brackets(source);
}

}  // namespace ddp
