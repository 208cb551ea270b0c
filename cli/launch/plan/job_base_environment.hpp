#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// The environment that a job starts with, before ddp-agent adds to it.
struct JobBaseEnvironment {
  EnvMap environment;
  std::vector<std::string>
      dropped;  ///< names of the submitter's variables that would mislead the job, sorted; no secrets
};

/// The submitter's environment less what would mislead the job: the variables of another job or launcher,
/// what changes shells and the dynamic linker, unless `pass` names it, and the secrets, which travel in a
/// file. What the run sets itself is never inherited. On ssh hosts it is theirs: only the names under `pass`
/// go with the run. With `inherit: false` only the basics (PATH, HOME, the user, the language, the time zone)
/// and the names under `pass`. Pure.
[[nodiscard]] JobBaseEnvironment job_base_environment(const EnvMap& submitter, const EnvironmentSpec& spec,
                                                      const LauncherRow& launcher);

/// What no job inherits unless environment.pass names it: names, or the start of names and a '*'.
[[nodiscard]] std::vector<std::string> scrubbed_variables(const LauncherRow& launcher);
}  // namespace ddp::cli
