#pragma once

#include <chrono>
#include <string>

namespace ddp::cli {

/// What was measured: "0.4 s", "12.3 s", "3 min 20 s", "2 h 5 min", "4 d 3 h"; "10 min" and no seconds where
/// there are none.
[[nodiscard]] std::string render_elapsed(std::chrono::milliseconds elapsed);

/// What is estimated, or still goes on: "40 s", "45 min", "1 h 15 min", "4 d 3 h", "40 d".
[[nodiscard]] std::string render_short_time(std::chrono::milliseconds time);

/// An age, in one unit: "5 s", "3 min", "2 h", "4 d".
[[nodiscard]] std::string render_age(std::chrono::milliseconds age);

/// "2026-11-21 20:15:04", by the clock on the wall.
[[nodiscard]] std::string render_local_time(std::chrono::system_clock::time_point time);

}  // namespace ddp::cli
