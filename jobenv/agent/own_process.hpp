#pragma once

#include <cstdint>
#include <string>

namespace ddp::agent {

/// What tells this process from every other one, past and to come, on the same host.
struct OwnProcess {
  int pid = 0;
  std::uint64_t start = 0;  ///< field 22 of /proc/PID/stat: clock ticks after boot
  std::string boot_id;
};
[[nodiscard]] OwnProcess resolve_own_process();

}  // namespace ddp::agent
