#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ddp/jobenv/env_map.hpp"

namespace ddp {

/// Takes away the line that the cursor is in.
inline constexpr const char* kEraseLine = "\r\x1b[K";

/// Of a terminal that does not tell.
inline constexpr std::size_t kUsualColumns = 80;

/// Whether escape sequences may be written to a terminal: not with NO_COLOR, or TERM=dumb.
[[nodiscard]] bool allows_escapes(const EnvMap& environment);

/// How long the escape sequence is that `text` begins with, one that sets a colour or moves the cursor; 0:
/// there is none.
[[nodiscard]] std::size_t length_of_escape(std::string_view text);

/// How wide the terminal behind `descriptor` is now; nullopt where there is none.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int descriptor);

}  // namespace ddp
