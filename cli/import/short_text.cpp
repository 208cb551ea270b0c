#include "cli/import/short_text.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

constexpr std::size_t kLongestShortText = 60;

}  // namespace

std::string short_text(std::string_view text) {
  const auto line = text.substr(0, text.find('\n'));
  const bool is_whole = line.size() == text.size() && line.size() <= kLongestShortText;
  if (is_whole) return std::string(line);
  auto length = std::min(line.size(), kLongestShortText);
  // Not in the middle of a character of UTF-8.
  while (length > 0 && length < line.size() && (static_cast<unsigned char>(line[length]) & 0xC0U) == 0x80U)
    --length;
  return std::string(line.substr(0, length)) + " …";
}

}  // namespace ddp::cli
