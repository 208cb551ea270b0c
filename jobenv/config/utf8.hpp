#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddp {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The code point that `text` begins with; not valid for broken, overlong and surrogate sequences. `text` is
/// not empty.
[[nodiscard]] CodePoint decode_utf8(std::string_view text);

/// C0, DEL and C1, and the marks that reorder text or break lines unseen.
[[nodiscard]] bool is_control_character(char32_t code);

/// Whether `text` holds one of them, or what is no UTF-8.
[[nodiscard]] bool has_control_character(std::string_view text);

/// `text` with each of them and each byte that is no UTF-8 written out, as \x1b or \u{202e}; line feeds stay.
[[nodiscard]] std::string escape_control_characters(std::string_view text);

}  // namespace ddp
