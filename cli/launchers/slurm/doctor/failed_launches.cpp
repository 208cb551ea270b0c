#include "cli/launchers/slurm/doctor/failed_launches.hpp"

#include <algorithm>
#include <sstream>

namespace ddp::cli {

std::vector<FailedLaunch> parse_failed_launches(std::string_view text) {
  constexpr std::string_view kLaunch = "Task launch for ";
  constexpr std::string_view kNode = " failed on node ";
  std::vector<FailedLaunch> failed;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto launch = line.find(kLaunch);
    const auto node = launch == line.npos ? line.npos : line.find(kNode, launch);
    if (node == line.npos) continue;
    const auto host = node + kNode.size();
    const auto colon = std::min(line.find(": ", host), line.size());
    const auto name = line.substr(host, colon - host);
    failed.push_back(
        {.host = name,
         .found = "srun could not start the ranks there: " + line.substr(std::min(colon + 2, line.size())),
         .advice = "is its slurmd alive, and its network? scontrol show node " + name});
  }
  return failed;
}

}  // namespace ddp::cli
