#pragma once

#include <cstdint>
#include <fstream>

#include "trainer/loop/report/process_memory.hpp"

namespace ddp::trainer {

/// How many bytes more than now this process holds at most while `work` runs.
template <class Work>
std::uint64_t peak_memory_of(Work work) {
  std::ofstream("/proc/self/clear_refs") << '5';  // the peak becomes what is held now
  const std::uint64_t before = read_process_memory().resident;
  work();
  const std::uint64_t peak = read_process_memory().peak_resident;
  return peak > before ? peak - before : 0;
}

}  // namespace ddp::trainer
