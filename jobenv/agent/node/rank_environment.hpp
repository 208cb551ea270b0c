#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// The variable with the number of threads of a rank; what the user sets wins over `cpus_per_task`.
inline constexpr const char* kThreads = "OMP_NUM_THREADS";

/// The job as the rank at `place` sees it. `env` is the agent's own: the scheduler's ids come from there.
[[nodiscard]] JobEnvironment make_job(const LaunchPlan& plan, const StartAttempt& start,
                                      const RankPlace& place, const std::string& host, const EnvMap& env);

/// The environment of a rank: PYTHONUNBUFFERED=1 for a command, the agent's without its own variables, then
/// what the file sets, the secrets, the job, and torch's and torchrun's names for a command. Later ones win.
[[nodiscard]] EnvMap make_rank_environment(const EnvMap& env, const LaunchPlan& plan,
                                           const std::map<std::string, std::string>& secrets,
                                           const JobEnvironment& job);

/// Reads {"NAME": "value"} from `file`; nothing when there is no such file. Errors never quote a value.
[[nodiscard]] Expected<std::map<std::string, std::string>> load_secrets(const std::filesystem::path& file);

}  // namespace ddp::agent
