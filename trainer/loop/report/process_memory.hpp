#pragma once

#include <cstdint>

namespace ddp::trainer {

/// Memory of this process that is in RAM, in bytes; pages of files that it maps, shared with other processes
/// or not, count. 0 where the kernel does not tell.
struct ProcessMemory {
  std::uint64_t resident = 0;
  std::uint64_t peak_resident = 0;
};

/// Reads /proc/self/status.
[[nodiscard]] ProcessMemory read_process_memory();

}  // namespace ddp::trainer
