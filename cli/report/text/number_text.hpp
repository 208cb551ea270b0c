#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ddp::cli {

/// "12,346", "12.35", "0.00012", "1.2e-07": four digits, as the script of the page writes numbers.
[[nodiscard]] std::string render_number(double value);
/// "12,346"
[[nodiscard]] std::string render_integer(std::int64_t value);
/// Five digits: what a plot can show.
[[nodiscard]] double round_for_plot(double value);
/// "2026-11-21 20:15:04 CET", by the clock on the wall; empty: not known.
[[nodiscard]] std::string render_zoned_time(std::optional<std::chrono::system_clock::time_point> time);
/// "47 ms", "0.9 s", "3 min 20 s"; empty: not known.
[[nodiscard]] std::string render_span(std::optional<std::chrono::milliseconds> time);
/// Of milliseconds: "47.1 ms", "3 min 20 s".
[[nodiscard]] std::string render_milliseconds(std::optional<double> time);

}  // namespace ddp::cli
