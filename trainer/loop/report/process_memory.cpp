#include "trainer/loop/report/process_memory.hpp"

#include <fstream>
#include <string>

namespace ddp::trainer {

ProcessMemory read_process_memory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string key, rest; status >> key; std::getline(status, rest)) {
    std::uint64_t* const field = key == "VmRSS:"   ? &memory.resident
                                 : key == "VmHWM:" ? &memory.peak_resident
                                                   : nullptr;
    std::uint64_t kib = 0;
    if (field != nullptr && status >> kib) *field = kib << 10;
  }
  return memory;
}

}  // namespace ddp::trainer
