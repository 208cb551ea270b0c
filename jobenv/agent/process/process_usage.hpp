#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace ddp::agent {

struct ProcessUsage {
  std::chrono::milliseconds cpu{0};  ///< of its threads, and of its children that have ended
  std::uint64_t memory_bytes = 0;    ///< resident

  bool operator==(const ProcessUsage&) const = default;
};

/// From the text of a stat file in /proc; zeros: it cannot be read.
[[nodiscard]] ProcessUsage parse_process_usage(std::string_view stat);

/// Of a process and its living descendants, but for those that threads other than main threads have started.
[[nodiscard]] ProcessUsage load_tree_usage(pid_t pid);

}  // namespace ddp::agent
