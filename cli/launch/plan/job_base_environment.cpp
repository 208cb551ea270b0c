#include "cli/launch/plan/job_base_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/spec/owned_variables.hpp"

namespace ddp::cli {
namespace {

// Options of the programs of Slurm that submit a job: nobody can ask for them.
constexpr std::array<std::string_view, 2> kSubmitPrefixes{"SBATCH_", "SRUN_"};
constexpr std::array<std::string_view, 2> kScrubbedPrefixes{"PMI", "OMPI_"};
constexpr std::array<std::string_view, 7> kScrubbedNames{"BASH_ENV",   "BASHOPTS", "SHELLOPTS",      "ENV",
                                                         "LD_PRELOAD", "LD_AUDIT", "OMP_NUM_THREADS"};

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
  return is_owned_variable(name) || has_prefix_of(name, kSubmitPrefixes);
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
  patterns.insert(patterns.end(), owned_variables().begin(), owned_variables().end());
  for (const auto prefix : kScrubbedPrefixes) patterns.push_back(std::string(prefix) + '*');
  for (const auto prefix : owned_prefixes()) patterns.push_back(std::string(prefix) + '*');
  for (const auto prefix : kSubmitPrefixes) patterns.push_back(std::string(prefix) + '*');
  patterns.insert(patterns.end(), launcher.sets_variables.begin(), launcher.sets_variables.end());
  return patterns;
}

}  // namespace ddp::cli
