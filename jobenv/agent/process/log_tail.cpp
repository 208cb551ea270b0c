#include "jobenv/agent/process/log_tail.hpp"

#include <algorithm>

#include "jobenv/record/files/file_tail.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kTailBytes = 4096;

/// The length of the UTF-8 sequence at the start of `text`, 0 when there is none or it is NUL. Over-long
/// forms, surrogates and what lies beyond U+10FFFF are none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char next = byte(1);
  const bool over_long = (lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90);
  const bool surrogate = lead == 0xED && next > 0x9F;
  const bool too_high = lead == 0xF4 && next > 0x8F;
  return over_long || surrogate || too_high ? 0 : length;
}

}  // namespace

std::string to_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      valid += '?';
    } else {
      valid += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return valid;
}

std::string load_log_tail(const std::filesystem::path& file) {
  std::string text = load_tail(file, kTailBytes + 1);  // one more than is kept: tells whether a line is cut
  if (text.size() > kTailBytes) {
    const std::size_t cut = text.find('\n');
    const bool endless = cut == std::string::npos || cut + 1 == text.size();
    text.erase(0, endless ? 1 : cut + 1);
  }
  return to_valid_utf8(text);
}

}  // namespace ddp::agent
