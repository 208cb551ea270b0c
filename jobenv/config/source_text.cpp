#include "jobenv/config/source_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "jobenv/config/utf8.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string without_carriage_returns(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    result += text[i];
  }
  return result;
}

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

std::shared_ptr<const SourceText> make_source_text(std::string name, std::string folder, std::string text,
                                                   Origin origin) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  auto source = std::make_shared<SourceText>(
      SourceText{std::move(name), std::move(folder), without_carriage_returns(text), {0}, origin});
  for (std::size_t i = 0; i < source->text.size(); ++i) {
    if (source->text[i] == '\n') source->line_starts.push_back(i + 1);
  }
  return source;
}

std::shared_ptr<const SourceText> make_argument_source(std::string argument, std::string folder) {
  return std::make_shared<SourceText>(
      SourceText{"command line", std::move(folder), std::move(argument), {}, Origin::command_line});
}

SourceLine line_at(const SourceText& source, std::size_t offset) {
  if (source.line_starts.empty()) return {0, 0, source.text};
  const auto after = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  const std::size_t start = *std::prev(after);
  const std::size_t end = std::min(source.text.find('\n', start), source.text.size());
  return {static_cast<int>(after - source.line_starts.begin()), start,
          std::string_view(source.text).substr(start, end - start)};
}

Place place_at(const std::shared_ptr<const SourceText>& source, std::size_t offset, int length) {
  const SourceLine line = line_at(*source, offset);
  return {source, line.number, static_cast<int>(offset - line.start) + 1, length};
}

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
