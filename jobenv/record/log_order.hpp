#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ddp {

/// How large the two logs of a rank are, or how far somebody has read them.
struct LogSizes {
  std::uint64_t out = 0;
  std::uint64_t err = 0;

  bool operator==(const LogSizes&) const = default;
};

/// A line of rank-R.order, "MILLISECONDS OUT ERR" with its end: what the logs hold behind these sizes was
/// printed after all that stands before them. Between two lines, stdout was printed before stderr.
[[nodiscard]] std::string render_log_point(std::chrono::system_clock::time_point time, const LogSizes& sizes);

/// The sizes of a line without its end; nullopt: it is no such line.
[[nodiscard]] std::optional<LogSizes> parse_log_point(std::string_view line);

}  // namespace ddp
