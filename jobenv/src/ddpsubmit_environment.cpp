#include <algorithm>
#include <array>
#include <string>

#include "agreement.hpp"
#include "ddp/jobenv/host_list.hpp"
#include "ddp/jobenv/rank_layout.hpp"
#include "environment_sources.hpp"
#include "variable_reader.hpp"

namespace ddp {
namespace {

/// The block's variables behind DDPSUBMIT_. Others with that prefix (descriptors, the address of head) do not
/// make a rank.
constexpr std::array kBlock = {
    "RUN_ID",         "RUN_DIR",       "ATTEMPT",    "LAUNCHER",       "JOB_ID",       "ARRAY_JOB_ID",
    "ARRAY_TASK_ID",  "RANK",          "LOCAL_RANK", "NODE_RANK",      "WORLD_SIZE",   "LOCAL_WORLD_SIZE",
    "TASKS_PER_NODE", "HOSTNAMES",     "NODE_NAME",  "MASTER_ADDRESS", "MASTER_PORT",  "NONCE",
    "INTERFACE",      "CPUS_PER_TASK", "DEADLINE",   "STOP_SIGNAL",    "RESTART_COUNT"};

std::string variable(const char* name) {
  return std::string("DDPSUBMIT_") + name;
}

void read_run(VariableReader& reader, JobEnvironment& job) {
  reader.read_text(job.run_id, "run_id", variable("RUN_ID"), Need::required);
  reader.read_text(job.run_dir, "run_dir", variable("RUN_DIR"), Need::required);
  reader.expect(job.run_dir.empty() || job.run_dir.front() == '/',
                variable("RUN_DIR") + " is not an absolute path");
  reader.read_number(job.attempt, "attempt", variable("ATTEMPT"), Need::required);
  reader.read_text(job.launcher, "launcher", variable("LAUNCHER"), Need::required);
  reader.read_text(job.job_id, "job_id", variable("JOB_ID"), Need::optional);
  reader.read_text(job.array_job_id, "array_job_id", variable("ARRAY_JOB_ID"), Need::optional);
  reader.read_text(job.array_task_id, "array_task_id", variable("ARRAY_TASK_ID"), Need::optional);
}

void read_place(VariableReader& reader, JobEnvironment& job) {
  reader.read_number(job.rank, "rank", variable("RANK"), Need::required);
  reader.read_number(job.local_rank, "local_rank", variable("LOCAL_RANK"), Need::required);
  reader.read_number(job.node_rank, "node_rank", variable("NODE_RANK"), Need::required);
  reader.read_number(job.world_size, "world_size", variable("WORLD_SIZE"), Need::required, 1);
  reader.read_number(job.local_world_size, "local_world_size", variable("LOCAL_WORLD_SIZE"), Need::required,
                     1);
  reader.read_layout(variable("TASKS_PER_NODE"), Need::required);
  reader.read_hostnames(variable("HOSTNAMES"), Need::required);
  reader.read_text(job.node_name, "node_name", variable("NODE_NAME"), Need::required);
}

void read_rendezvous(VariableReader& reader, JobEnvironment& job) {
  reader.read_text(job.master_address, "master_address", variable("MASTER_ADDRESS"), Need::required);
  reader.read_number(job.master_port, "master_port", variable("MASTER_PORT"), Need::required, 1, 65535);
  reader.read_text(job.nonce, "nonce", variable("NONCE"), Need::required);
  reader.read_text(job.interface, "interface", variable("INTERFACE"), Need::optional);
}

void read_resources(VariableReader& reader, JobEnvironment& job) {
  reader.read_number(job.cpus_per_task, "cpus_per_task", variable("CPUS_PER_TASK"), Need::required, 1);
  reader.read_gpus();
  reader.read_deadline(variable("DEADLINE"));
  reader.read_text(job.stop_signal, "stop_signal", variable("STOP_SIGNAL"), Need::optional);
  reader.read_number(job.restart_count, "restart_count", variable("RESTART_COUNT"), Need::required);
}

}  // namespace

bool is_ddpsubmit_rank(const EnvMap& env) {
  return std::any_of(kBlock.begin(), kBlock.end(), [&](const char* name) { return env.has(variable(name)); });
}

Expected<JobEnvironment> from_ddpsubmit(const EnvMap& env) {
  JobEnvironment job = make_default_job(EnvironmentSource::ddpsubmit);
  VariableReader reader(env, job);
  read_run(reader, job);
  read_place(reader, job);
  read_rendezvous(reader, job);
  read_resources(reader, job);
  if (!reader.failed()) check_agreement(job, reader);
  if (!reader.failed()) return job;
  return tl::unexpected(
      reader.error("the DDPSUBMIT_ variables do not describe a rank",
                   "ddp-agent sets all of them; unset what a shell or a script has left behind"));
}

EnvMap JobEnvironment::to_env() const {
  EnvMap env;
  const auto put = [&](const char* name, std::string value) {
    if (!value.empty()) env.set(variable(name), std::move(value));
  };
  put("RUN_ID", run_id);
  put("RUN_DIR", run_dir);
  put("ATTEMPT", std::to_string(attempt));
  put("LAUNCHER", launcher);
  put("JOB_ID", job_id);
  put("ARRAY_JOB_ID", array_job_id);
  put("ARRAY_TASK_ID", array_task_id);
  put("RANK", std::to_string(rank));
  put("LOCAL_RANK", std::to_string(local_rank));
  put("NODE_RANK", std::to_string(node_rank));
  put("WORLD_SIZE", std::to_string(world_size));
  put("LOCAL_WORLD_SIZE", std::to_string(local_world_size));
  if (const auto layout = RankLayout::make(tasks_per_node)) put("TASKS_PER_NODE", layout->render());
  put("HOSTNAMES", HostList(hostnames).compress());
  put("NODE_NAME", node_name);
  put("MASTER_ADDRESS", master_address);
  put("MASTER_PORT", std::to_string(master_port));
  put("NONCE", nonce);
  put("INTERFACE", interface);
  put("CPUS_PER_TASK", std::to_string(cpus_per_task));
  if (deadline) {
    const auto since_1970 = std::chrono::duration_cast<std::chrono::seconds>(deadline->time_since_epoch());
    put("DEADLINE", std::to_string(since_1970.count()));
  }
  put("STOP_SIGNAL", stop_signal);
  put("RESTART_COUNT", std::to_string(restart_count));
  return env;
}

}  // namespace ddp
