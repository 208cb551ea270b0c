#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ddp::agent {

/// Bytes that the TCP connections of a process and its living descendants have carried, both ways, as the
/// kernel's socket monitoring (sock_diag(7)) counts them; 0 where it does not answer.
[[nodiscard]] std::uint64_t load_tree_traffic(pid_t pid);

}  // namespace ddp::agent
