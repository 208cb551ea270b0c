#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "jobenv/record/log_order.hpp"

namespace ddp::cli {

enum class LogStream { out, err };
[[nodiscard]] std::string_view to_string(LogStream stream);

/// Bytes of one log, from where the last span of that log ended.
struct LogSpan {
  LogStream stream = LogStream::out;
  std::uint64_t end = 0;

  bool operator==(const LogSpan&) const = default;
};

/// The order in which the bytes between `from` and `to` were printed: up to each of `points` and up to `to`,
/// stdout first. A point may be behind `from` or beyond `to`, in one log or in both. None of the spans is
/// empty.
[[nodiscard]] std::vector<LogSpan> merge_logs(std::span<const LogSizes> points, LogSizes from,
                                              const LogSizes& to);

}  // namespace ddp::cli
