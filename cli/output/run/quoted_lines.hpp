#pragma once

#include <string>
#include <string_view>

namespace ddp::cli {

/// Lines that a program printed, each behind "   | ".
[[nodiscard]] std::string quote_lines(std::string_view text);

}  // namespace ddp::cli
