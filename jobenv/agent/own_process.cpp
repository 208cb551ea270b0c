#include "jobenv/agent/own_process.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace ddp::agent {

OwnProcess resolve_own_process() {
  OwnProcess process;
  process.pid = getpid();
  std::ifstream("/proc/sys/kernel/random/boot_id") >> process.boot_id;
  std::ifstream file("/proc/self/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  // The name in parentheses is field 2 and may hold blanks; 19 fields stand between it and the start.
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  fields >> process.start;
  return process;
}

}  // namespace ddp::agent
