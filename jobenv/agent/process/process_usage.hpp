#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ddp::agent {

struct ProcessUsage {
  std::chrono::milliseconds cpu{0};  ///< of its threads, and of its children that have ended
  std::uint64_t memory_bytes = 0;    ///< resident

  bool operator==(const ProcessUsage&) const = default;
};

/// From the text of a stat file in /proc; zeros: it cannot be read.
[[nodiscard]] ProcessUsage parse_process_usage(std::string_view stat);

/// The living children that any of its threads has started.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

/// Of a process and its living descendants.
[[nodiscard]] ProcessUsage load_tree_usage(pid_t pid);

/// Bytes that they have read and written by calls that files have, pipes included. An old kernel answers only
/// when none of them is in the midst of an exec.
[[nodiscard]] std::uint64_t load_tree_io(pid_t pid);

}  // namespace ddp::agent
