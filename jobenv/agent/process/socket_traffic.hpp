#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace ddp::agent {

/// A socket that a process has open.
struct OpenSocket {
  int descriptor = -1;  ///< its number in that process
  std::uint32_t inode = 0;
};

/// Of any family. Empty when the process is gone, or is not the caller's.
[[nodiscard]] std::vector<OpenSocket> open_sockets(pid_t pid);

/// Bytes that the TCP connections of these processes have carried, both ways, as the kernel's socket
/// monitoring (sock_diag(7)) counts them; 0 where it does not answer.
[[nodiscard]] std::uint64_t load_traffic(std::span<const pid_t> processes);

}  // namespace ddp::agent
