#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

namespace ddp::agent {

/// Bytes that the TCP connections of these processes have carried, both ways, as the kernel's socket
/// monitoring (sock_diag(7)) counts them; 0 where it does not answer.
[[nodiscard]] std::uint64_t load_traffic(std::span<const pid_t> processes);

}  // namespace ddp::agent
