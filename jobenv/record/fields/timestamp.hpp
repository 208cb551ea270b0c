#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// ISO-8601 UTC with milliseconds, `2026-11-21T05:20:17.123Z`.
[[nodiscard]] std::string render_time(std::chrono::system_clock::time_point time);

/// Reads exactly that form, years 1970 to 2261.
[[nodiscard]] Expected<std::chrono::system_clock::time_point> parse_time(std::string_view text);

}  // namespace ddp
