#include "jobenv/config/utf8.hpp"

#include <cstdio>

namespace ddp {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

std::size_t sequence_length(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || text.size() < length) return {};
  if (length == 1) return {lead, 1, true};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned byte = byte_at(text, i);
    if ((byte & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, length, true};
}

bool is_control_character(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint code = decode_utf8(text.substr(i));
    if (!code.valid || is_control_character(code.value)) return true;
    i += code.bytes;
  }
  return false;
}

std::string escape_control_characters(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const CodePoint code = decode_utf8(text);
    char escape[16];
    if (code.valid && (code.value == U'\n' || !is_control_character(code.value))) {
      shown += text.substr(0, code.bytes);
    } else {
      const unsigned byte = static_cast<unsigned char>(text.front());
      const bool is_byte = !code.valid || code.value < 0x80;
      std::snprintf(escape, sizeof escape, is_byte ? "\\x%02x" : "\\u{%x}",
                    is_byte ? byte : static_cast<unsigned>(code.value));
      shown += escape;
    }
    text.remove_prefix(code.bytes);
  }
  return shown;
}

}  // namespace ddp
