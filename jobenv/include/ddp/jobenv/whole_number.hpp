#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ddp {

/// The value of a text of decimal digits and nothing else: no sign, no blanks. nullopt also when it does not
/// fit.
[[nodiscard]] inline std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace ddp
