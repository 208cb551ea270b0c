#include "cli/launch/plan/job_base_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ddp::cli {
namespace {

// The run sets them itself, or Slurm does for its own programs: nobody can ask for them.
constexpr std::array<std::string_view, 5> kReservedPrefixes{"SBATCH_", "SLURM_", "SRUN_", "TORCHELASTIC_",
                                                            "DDPSUBMIT_"};
constexpr std::array<std::string_view, 8> kReservedNames{
    "RANK",       "WORLD_SIZE",       "LOCAL_RANK",  "LOCAL_WORLD_SIZE",
    "GROUP_RANK", "GROUP_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"};
constexpr std::array<std::string_view, 2> kScrubbedPrefixes{"PMI", "OMPI_"};
constexpr std::array<std::string_view, 6> kScrubbedNames{"BASH_ENV", "BASHOPTS",   "SHELLOPTS",
                                                         "ENV",      "LD_PRELOAD", "LD_AUDIT"};

constexpr std::array<std::string_view, 5> kToolPrefixes{"SQUEUE_", "SINFO_", "SACCT_", "SCANCEL_",
                                                        "SCONTROL_"};
constexpr std::array<std::string_view, 4> kToolKeeps{"SLURM_CONF", "SLURM_CLUSTERS", "SLURM_CONF_SERVER",
                                                     "SLURM_JWT"};

constexpr std::array<std::string_view, 8> kBasics{"PATH",  "HOME", "USER", "LOGNAME",
                                                  "SHELL", "LANG", "TZ",   "TMPDIR"};

template <class List>
bool has_prefix_of(std::string_view name, const List& prefixes) {
  return std::ranges::any_of(prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

template <class List>
bool holds(const List& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_reserved(std::string_view name) {
  return has_prefix_of(name, kReservedPrefixes) || holds(kReservedNames, name);
}

bool misleads(std::string_view name, const LauncherRow& launcher) {
  return has_prefix_of(name, kScrubbedPrefixes) || holds(kScrubbedNames, name) ||
         holds(launcher.sets_variables, name);
}

bool is_basic(std::string_view name) {
  return holds(kBasics, name) || name.starts_with("LC_");
}

/// The variables of `names` alone: a host has its own.
JobBaseEnvironment passed_variables(const EnvMap& submitter, const std::vector<std::string>& names) {
  JobBaseEnvironment result;
  for (const std::string& name : names) {
    if (const auto value = submitter.get(name)) result.environment.set(name, *value);
  }
  return result;
}

}  // namespace

JobBaseEnvironment job_base_environment(const EnvMap& submitter, const EnvironmentSpec& spec,
                                        const LauncherRow& launcher) {
  if (launcher.environment == EnvironmentOf::node) return passed_variables(submitter, spec.pass);
  JobBaseEnvironment result{.environment = submitter, .dropped = {}};
  (void)result.environment.remove_if([&](std::string_view name) { return holds(spec.secrets, name); });
  result.dropped = result.environment.remove_if([&](std::string_view name) {
    return is_reserved(name) || (misleads(name, launcher) && !holds(spec.pass, name));
  });
  if (!spec.inherit) {
    (void)result.environment.remove_if(
        [&](std::string_view name) { return !is_basic(name) && !holds(spec.pass, name); });
  }
  return result;
}

std::vector<std::string> scrubbed_variables(const LauncherRow& launcher) {
  std::vector<std::string> patterns(kScrubbedNames.begin(), kScrubbedNames.end());
  patterns.insert(patterns.end(), kReservedNames.begin(), kReservedNames.end());
  for (const auto prefix : kScrubbedPrefixes) patterns.push_back(std::string(prefix) + '*');
  for (const auto prefix : kReservedPrefixes) patterns.push_back(std::string(prefix) + '*');
  patterns.insert(patterns.end(), launcher.sets_variables.begin(), launcher.sets_variables.end());
  return patterns;
}

std::vector<std::string> scrubbed_tool_variables() {
  std::vector<std::string> patterns;
  for (const auto prefix : kToolPrefixes) patterns.push_back(std::string(prefix) + '*');
  return patterns;
}

EnvMap slurm_tool_environment(const EnvMap& environment, const EnvMap& submitter) {
  EnvMap tools = environment;
  (void)tools.remove_if([](std::string_view name) { return has_prefix_of(name, kToolPrefixes); });
  for (const auto name : kToolKeeps) {
    if (const auto value = submitter.get(name)) tools.set(std::string(name), *value);
  }
  return tools;
}

}  // namespace ddp::cli
