#include "cli/import/short_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kLongestShortText = 60;

}  // namespace

std::string short_text(std::string_view text) {
  const auto line = text.substr(0, text.find('\n'));
  const bool is_whole = line.size() == text.size() && line.size() <= kLongestShortText;
  return is_whole ? std::string(line) : std::string(line.substr(0, kLongestShortText)) + " …";
}

}  // namespace ddp::cli
