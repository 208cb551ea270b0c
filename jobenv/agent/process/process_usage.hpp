#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace ddp::agent {

struct ProcessUsage {
  std::chrono::milliseconds cpu{0};  ///< of its threads, and of its children that have ended
  std::uint64_t memory_bytes = 0;    ///< resident

  bool operator==(const ProcessUsage&) const = default;
};

/// From the text of a stat file in /proc; zeros: it cannot be read.
[[nodiscard]] ProcessUsage parse_process_usage(std::string_view stat);

/// Of all of them together.
[[nodiscard]] ProcessUsage load_usage(std::span<const pid_t> processes);

/// Bytes that they have read and written by calls that files have, pipes included. An old kernel answers only
/// when none of them is in the midst of an exec.
[[nodiscard]] std::uint64_t load_io_bytes(std::span<const pid_t> processes);

}  // namespace ddp::agent
