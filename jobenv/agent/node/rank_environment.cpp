#include "jobenv/agent/node/rank_environment.hpp"

#include <nlohmann/json.hpp>

#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/scheduler/scheduler_job.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/program_path.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

/// What the user can set otherwise. Python holds back what it prints to a file: a run could not be followed.
/// ROLE_NAME and the last one are defaults of torchrun. By TORCHELASTIC_RUN_ID frameworks decide whether
/// torchrun or the scheduler has started them: Lightning saves and requeues at the stop signal only without
/// it, and starts ranks itself without both.
EnvMap command_defaults(const LaunchPlan& plan) {
  EnvMap defaults = EnvMap()
                        .set("PYTHONUNBUFFERED", "1")
                        .set(kThreads, std::to_string(plan.cpus_per_task))
                        .set("ROLE_NAME", "default")
                        .set("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
  if (plan.traits.scheduler.empty()) defaults.set("TORCHELASTIC_RUN_ID", plan.run_id);
  return defaults;
}

/// The program may write its exception to it: torch's `record` does.
std::string exception_file(const LaunchPlan& plan, const JobEnvironment& job) {
  return RunFolder(plan.run_dir).logs(job.attempt) / ("rank-" + std::to_string(job.rank) + ".error.json");
}

/// What torchrun sets besides: scripts ask for these to know that they are not started for the first time.
/// All ranks have one role, and rank 0 serves the store itself.
EnvMap torchrun_names(const LaunchPlan& plan, const JobEnvironment& job) {
  return EnvMap()
      .set("TORCHELASTIC_RESTART_COUNT", std::to_string(job.attempt))
      .set("TORCHELASTIC_MAX_RESTARTS", std::to_string(plan.max_restarts))
      .set("TORCHELASTIC_USE_AGENT_STORE", "False")
      .set("TORCHELASTIC_ERROR_FILE", exception_file(plan, job))
      .set("GROUP_RANK", std::to_string(job.node_rank))
      .set("GROUP_WORLD_SIZE", std::to_string(job.hostnames.size()))
      .set("ROLE_RANK", std::to_string(job.rank))
      .set("ROLE_WORLD_SIZE", std::to_string(job.world_size));
}

void take_job_ids(const LaunchPlan& plan, const EnvMap& env, JobEnvironment& job) {
  const auto launcher = find_agent_launcher(plan);
  if (!launcher || (*launcher)->read_job_ids == nullptr) return;
  auto ids = (*launcher)->read_job_ids(env);
  job.job_id = std::move(ids.job_id);
  job.array_job_id = std::move(ids.array_job_id);
  job.array_task_id = std::move(ids.array_task_id);
  job.restart_count = ids.restart_count;
}

}  // namespace

JobEnvironment make_job(const LaunchPlan& plan, const StartAttempt& start, const RankPlace& place,
                        const std::string& host, const EnvMap& env) {
  JobEnvironment job;
  job.source = EnvironmentSource::ddpsubmit;
  job.run_id = plan.run_id;
  job.run_dir = plan.run_dir;
  job.attempt = start.attempt;
  job.launcher = plan.launcher;
  take_job_ids(plan, env, job);
  job.rank = place.rank;
  job.local_rank = place.local_rank;
  job.node_rank = place.node_rank;
  job.world_size = static_cast<int>(start.hosts.size()) * plan.tasks_per_node;
  job.local_world_size = plan.tasks_per_node;
  job.tasks_per_node.assign(start.hosts.size(), plan.tasks_per_node);
  job.hostnames = start.hosts;
  job.node_name = host;
  job.master_address = start.master_address;
  job.master_port = start.master_port;
  job.nonce = start.nonce;
  job.interface = start.interface;
  job.cpus_per_task = plan.cpus_per_task;
  job.deadline = start.deadline;
  job.stop_signal = plan.stop_signal.value_or("");
  return job;
}

/// What the host has there comes first.
void append_to_python_path(const std::string& folder, EnvMap& environment) {
  if (folder.empty()) return;
  const auto before = environment.get("PYTHONPATH").value_or("");
  environment.set("PYTHONPATH", before.empty() ? folder : before + ":" + folder);
}

EnvMap make_rank_environment(const EnvMap& env, const LaunchPlan& plan,
                             const std::map<std::string, std::string>& secrets, const JobEnvironment& job) {
  EnvMap result = env;
  result.remove_if([](std::string_view name) {
    return name.starts_with("DDPSUBMIT_") || name == "SLURM_JWT";  // the user's pass to Slurm is head's alone
  });
  result = with_libraries(result.patched(EnvMap(plan.set)).patched(EnvMap(secrets)).patched(job.to_env()),
                          plan.libraries);
  if (!plan.submit_dir.empty()) result.set(kSubmitDir, plan.submit_dir);
  if (plan.program != ProgramKind::command) return result;
  result.set(kOutputDir, RunFolder(plan.run_dir).output());
  append_to_python_path(plan.python_folder, result);
  return command_defaults(plan)
      .patched(result)
      .patched(job.to_torch_env())
      .patched(torchrun_names(plan, job));
}

Expected<std::map<std::string, std::string>> load_secrets(const std::filesystem::path& file) {
  std::map<std::string, std::string> secrets;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return secrets;
  const auto text = load_file(file);
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json json = parse_json(*text);
  const auto malformed = [&] {
    return fail(ExitCode::config_invalid,
                "'" + file.string() + "' is not a JSON object of variable names and values",
                "submit the run again; the file is written by ddpsubmit");
  };
  if (!json.is_object()) return malformed();
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return malformed();
    secrets.emplace(name, value.get<std::string>());
  }
  return secrets;
}

}  // namespace ddp::agent
