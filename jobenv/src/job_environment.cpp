#include "ddp/jobenv/job_environment.hpp"

#include <array>

#include "ddp/jobenv/host_list.hpp"
#include "ddp/jobenv/rank_layout.hpp"
#include "environment_sources.hpp"

namespace ddp {
namespace {

std::string render_gpus(const std::vector<Gpu>& gpus) {
  std::string text;
  for (const Gpu& gpu : gpus) text += (text.empty() ? "" : ",") + gpu.uuid;
  return text;
}

/// Whole seconds since 1970.
std::string render_deadline(const JobEnvironment& job) {
  if (!job.deadline) return "";
  const auto since_1970 = std::chrono::duration_cast<std::chrono::seconds>(job.deadline->time_since_epoch());
  return std::to_string(since_1970.count());
}

std::string render_tasks(const std::vector<int>& tasks_per_node) {
  const auto layout = RankLayout::make(tasks_per_node);
  return layout ? layout->render() : "";
}

}  // namespace

std::string_view name_of(EnvironmentSource source) {
  constexpr std::array<std::string_view, 4> kNames = {"ddpsubmit", "slurm", "torch", "single"};
  return kNames.at(static_cast<std::size_t>(source));
}

Expected<JobEnvironment> JobEnvironment::from(const EnvMap& env) {
  if (is_ddpsubmit_rank(env)) return from_ddpsubmit(env);
  if (is_slurm_job(env)) return from_slurm(env);
  if (is_torch_rank(env)) return from_torch(env);
  return from_single(env);
}

EnvMap JobEnvironment::to_torch_env() const {
  EnvMap env;
  env.set("RANK", std::to_string(rank))
      .set("LOCAL_RANK", std::to_string(local_rank))
      .set("WORLD_SIZE", std::to_string(world_size))
      .set("LOCAL_WORLD_SIZE", std::to_string(local_world_size))
      .set("NODE_RANK", std::to_string(node_rank))
      .set("MASTER_ADDR", master_address)
      .set("MASTER_PORT", std::to_string(master_port));
  return env;
}

std::vector<EnvironmentRow> rows_of(const JobEnvironment& job) {
  std::vector<EnvironmentRow> rows = {
      {"run_id", job.run_id, {}},
      {"run_dir", job.run_dir, {}},
      {"attempt", std::to_string(job.attempt), {}},
      {"launcher", job.launcher, {}},
      {"job_id", job.job_id, {}},
      {"array_job_id", job.array_job_id, {}},
      {"array_task_id", job.array_task_id, {}},
      {"rank", std::to_string(job.rank), {}},
      {"local_rank", std::to_string(job.local_rank), {}},
      {"node_rank", std::to_string(job.node_rank), {}},
      {"world_size", std::to_string(job.world_size), {}},
      {"local_world_size", std::to_string(job.local_world_size), {}},
      {"tasks_per_node", render_tasks(job.tasks_per_node), {}},
      {"hostnames", HostList(job.hostnames).compress(), {}},
      {"node_name", job.node_name, {}},
      {"master_address", job.master_address, {}},
      {"master_port", std::to_string(job.master_port), {}},
      {"nonce", job.nonce, {}},
      {"interface", job.interface, {}},
      {"cpus_per_task", std::to_string(job.cpus_per_task), {}},
      {"gpus", render_gpus(job.gpus), {}},
      {"deadline", render_deadline(job), {}},
      {"stop_signal", job.stop_signal, {}},
      {"restart_count", std::to_string(job.restart_count), {}},
  };
  for (EnvironmentRow& row : rows) {
    const auto origin = job.origins.find(row.field);
    row.origin = origin == job.origins.end() ? "default" : origin->second;
  }
  return rows;
}

JobEnvironment make_default_job(EnvironmentSource source) {
  JobEnvironment job;
  job.source = source;
  for (const EnvironmentRow& row : rows_of(job)) job.origins.emplace(row.field, "default");
  return job;
}

}  // namespace ddp
