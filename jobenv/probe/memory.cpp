#include "jobenv/probe/memory.hpp"

#include <algorithm>
#include <charconv>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp {

std::uint64_t measure_available_memory() {
  return parse_available_memory(load_proc_file("/proc/meminfo"));
}

std::uint64_t parse_available_memory(std::string_view meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  const auto line = meminfo.find(kName);
  if (line == meminfo.npos) return 0;
  meminfo.remove_prefix(line + kName.size());
  meminfo.remove_prefix(std::min(meminfo.find_first_not_of(' '), meminfo.size()));
  std::uint64_t kib = 0;
  std::from_chars(meminfo.data(), meminfo.data() + meminfo.size(), kib);
  return kib * 1024;
}

}  // namespace ddp
