#include "cli/launchers/slurm/query/tool_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ddp::cli {
namespace {

constexpr std::array<std::string_view, 5> kToolPrefixes{"SQUEUE_", "SINFO_", "SACCT_", "SCANCEL_",
                                                        "SCONTROL_"};
constexpr std::array<std::string_view, 4> kToolKeeps{"SLURM_CONF", "SLURM_CLUSTERS", "SLURM_CONF_SERVER",
                                                     "SLURM_JWT"};

}  // namespace

std::vector<std::string> scrubbed_tool_variables() {
  std::vector<std::string> patterns;
  for (const auto prefix : kToolPrefixes) patterns.push_back(std::string(prefix) + '*');
  return patterns;
}

EnvMap slurm_tool_environment(const EnvMap& environment, const EnvMap& submitter) {
  EnvMap tools = environment;
  (void)tools.remove_if([](std::string_view name) {
    return std::ranges::any_of(kToolPrefixes,
                               [name](std::string_view prefix) { return name.starts_with(prefix); });
  });
  for (const auto name : kToolKeeps) {
    if (const auto value = submitter.get(name)) tools.set(std::string(name), *value);
  }
  return tools;
}

}  // namespace ddp::cli
