#pragma once

#include <optional>

namespace ddp::cli {

inline constexpr char kEscape = '\x1b';

/// Waits for any key on stdin, which is a terminal, or until `descriptor` is readable: nullopt then. The key
/// is taken, and so is the rest of one that sends several bytes, as arrows do: 0 then. A terminal that is
/// gone says kEscape.
[[nodiscard]] std::optional<char> wait_for_key(int descriptor);

}  // namespace ddp::cli
