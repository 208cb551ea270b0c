#include "cli/launchers/slurm/doctor/failed_launches.hpp"

#include <algorithm>
#include <sstream>

#include "jobenv/record/slurm_words.hpp"

namespace ddp::cli {

std::vector<FailedLaunch> parse_failed_launches(std::string_view text) {
  std::vector<FailedLaunch> failed;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto launch = behind_slurm_words(SlurmSays::launch_failed, line);
    const auto node = launch ? behind_slurm_words(SlurmSays::launch_failed_on, *launch) : std::nullopt;
    if (!node) continue;
    const auto colon = std::min(node->find(": "), node->size());
    const std::string name(node->substr(0, colon));
    const std::string why(node->substr(std::min(colon + 2, node->size())));
    failed.push_back({.host = name,
                      .found = "srun could not start the ranks there: " + why,
                      .advice = "check its slurmd and its network: scontrol show node " + name});
  }
  return failed;
}

}  // namespace ddp::cli
