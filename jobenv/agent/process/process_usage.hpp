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
  std::uint64_t io_bytes = 0;        ///< read and written by calls that files have, pipes included

  bool operator==(const ProcessUsage&) const = default;
};

/// From the text of a stat file in /proc; zeros: it cannot be read.
[[nodiscard]] ProcessUsage parse_process_usage(std::string_view stat);

/// The living children that its main thread has started.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

/// Of a process and its living descendants, but for those that threads other than main threads have started.
[[nodiscard]] ProcessUsage load_tree_usage(pid_t pid);

}  // namespace ddp::agent
