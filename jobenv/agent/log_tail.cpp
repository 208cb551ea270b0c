#include "jobenv/agent/log_tail.hpp"

#include <algorithm>
#include <fstream>

namespace ddp::agent {
namespace {

constexpr std::streamoff kTailBytes = 4096;

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

std::string load_tail(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  const std::streamoff size = stream.tellg();
  const std::streamoff begin = std::max<std::streamoff>(size - kTailBytes, 0);
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  stream.seekg(begin);
  stream.read(text.data(), size - begin);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (const std::size_t cut = text.find('\n'); begin > 0 && cut != std::string::npos) text.erase(0, cut + 1);
  return to_valid_utf8(text);
}

}  // namespace ddp::agent
