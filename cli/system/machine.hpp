#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddp::cli {

/// What this machine has for the ranks of a run.
struct MachineResources {
  int gpus = 0;  ///< NVIDIA devices
  int cpus = 1;  ///< that this process may use
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> interfaces;  ///< names of those that are up and have an IP address
};

/// Looks at the machine that this process runs on.
[[nodiscard]] MachineResources measure_machine();

}  // namespace ddp::cli
