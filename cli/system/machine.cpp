#include "cli/system/machine.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "jobenv/probe/gpu_inventory.hpp"

namespace ddp::cli {
namespace {

int count_cpus() {
  cpu_set_t allowed;
  // It fails on machines with more CPUs than the set has room for.
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

std::uint64_t memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool is_usable(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
  return entry.ifa_addr->sa_family == AF_INET || entry.ifa_addr->sa_family == AF_INET6;
}

std::vector<std::string> interfaces() {
  std::vector<std::string> names;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return names;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (is_usable(*entry) && std::ranges::find(names, entry->ifa_name) == names.end())
      names.emplace_back(entry->ifa_name);
  }
  freeifaddrs(list);
  return names;
}

}  // namespace

MachineResources measure_machine() {
  return {
      .gpus = count_gpus("/dev"), .cpus = count_cpus(), .memory_bytes = memory(), .interfaces = interfaces()};
}

}  // namespace ddp::cli
