#include "jobenv/record/files/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ddp {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t value = 0; value < kDigits.size(); ++value)
    values[static_cast<unsigned char>(kDigits[value])] = static_cast<std::uint8_t>(value);
  return values;
}

constexpr auto kValues = make_values();

/// Up to three bytes, the first one in the highest bits of 24.
std::uint32_t pack(std::string_view bytes) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 3; ++i)
    bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  return bits;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 3))) {
    const std::uint32_t bits = pack(bytes);
    for (std::size_t i = 0; i < 4; ++i) text += i <= bytes.size() ? kDigits[bits >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (; !text.empty(); text.remove_prefix(4)) {
    const bool last = text.size() == 4;
    const std::size_t padding = last && text[3] == '=' ? (text[2] == '=' ? 2 : 1) : 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t value = i < 4 - padding ? kValues[static_cast<unsigned char>(text[i])] : 0;
      if (value == kNoDigit) return std::nullopt;
      bits = bits << 6 | value;
    }
    for (std::size_t i = 0; i < 3 - padding; ++i) bytes += static_cast<char>(bits >> (16 - 8 * i) & 255U);
  }
  return bytes;
}

}  // namespace ddp
