#include <string>

#include "agreement.hpp"
#include "environment_sources.hpp"
#include "network_address.hpp"
#include "variable_reader.hpp"

namespace ddp {
namespace {

void read_job(VariableReader& reader, JobEnvironment& job) {
  job.launcher = "slurm";
  reader.read_text(job.job_id, "job_id", "SLURM_JOB_ID", Need::required);
  reader.read_text(job.array_job_id, "array_job_id", "SLURM_ARRAY_JOB_ID", Need::optional);
  reader.read_text(job.array_task_id, "array_task_id", "SLURM_ARRAY_TASK_ID", Need::optional);
  reader.read_text(job.node_name, "node_name", "SLURMD_NODENAME", Need::optional);
  reader.read_number(job.cpus_per_task, "cpus_per_task", "SLURM_CPUS_PER_TASK", Need::optional, 1);
  reader.read_deadline("SLURM_JOB_END_TIME");
  reader.read_number(job.restart_count, "restart_count", "SLURM_RESTART_COUNT", Need::optional);
  reader.read_gpus();
}

/// The job's host list counts as many names as the job has nodes; a step may use fewer of them.
void read_hosts(VariableReader& reader, JobEnvironment& job) {
  const auto nodes = reader.number_of("SLURM_JOB_NUM_NODES", Need::required, 1);
  reader.read_hostnames("SLURM_JOB_NODELIST", Need::required);
  if (reader.failed()) return;
  reader.expect(job.hostnames.size() == static_cast<std::size_t>(*nodes),
                "SLURM_JOB_NODELIST names " + std::to_string(job.hostnames.size()) +
                    " hosts, SLURM_JOB_NUM_NODES is " + std::to_string(*nodes));
  reader.read_hostnames("SLURM_STEP_NODELIST", Need::optional);
}

void read_step(VariableReader& reader, JobEnvironment& job) {
  reader.number_of("SLURM_STEP_ID", Need::required);
  reader.read_number(job.rank, "rank", "SLURM_PROCID", Need::required);
  reader.read_number(job.local_rank, "local_rank", "SLURM_LOCALID", Need::required);
  reader.read_number(job.node_rank, "node_rank", "SLURM_NODEID", Need::required);
  reader.read_number(job.world_size, "world_size", "SLURM_NTASKS", Need::required, 1);
  reader.read_layout("SLURM_TASKS_PER_NODE", Need::required);
  reader.set_origin("local_world_size", "SLURM_TASKS_PER_NODE");
  read_hosts(reader, job);
  if (static_cast<std::size_t>(job.node_rank) < job.tasks_per_node.size()) {
    job.local_world_size = job.tasks_per_node[static_cast<std::size_t>(job.node_rank)];
  }
  if (!reader.failed()) check_agreement(job, reader);
}

std::string first_label(const std::string& host) {
  return host.substr(0, host.find('.'));
}

/// Equal names, or one of them without its domain.
bool is_same_host(const std::string& a, const std::string& b) {
  const bool one_is_short = (a.find('.') == std::string::npos) != (b.find('.') == std::string::npos);
  return a == b || (one_is_short && first_label(a) == first_label(b));
}

/// MASTER_ADDR could be left over from another job: a name must be that of rank 0's host, and an address must
/// not mean "this machine" on several of them.
void read_rendezvous(VariableReader& reader, JobEnvironment& job) {
  reader.read_text(job.master_address, "master_address", "MASTER_ADDR", Need::required);
  reader.read_number(job.master_port, "master_port", "MASTER_PORT", Need::required, 1, 65535);
  if (reader.failed()) return;
  if (is_loopback(job.master_address)) {
    reader.expect(job.hostnames.size() == 1, "MASTER_ADDR is " + job.master_address + ", and the job has " +
                                                 std::to_string(job.hostnames.size()) + " nodes");
  } else if (!is_ip_address(job.master_address)) {
    reader.expect(is_same_host(job.master_address, job.hostnames.front()),
                  "MASTER_ADDR is " + job.master_address + ", and rank 0 runs on " + job.hostnames.front());
  }
}

/// In a batch script or an salloc shell Slurm's SLURM_PROCID says nothing: one process there is the whole
/// job, or wrong.
Expected<JobEnvironment> from_slurm_shell(const EnvMap& env) {
  JobEnvironment job = make_default_job(EnvironmentSource::slurm);
  VariableReader reader(env, job);
  read_job(reader, job);
  reader.look_up("SLURM_STEP_ID");
  const int tasks = reader.number_of("SLURM_NTASKS", Need::optional, 1).value_or(1);
  reader.expect(tasks == 1,
                "the job has " + std::to_string(tasks) + " tasks, but this process is not one of them");
  if (!job.node_name.empty()) job.hostnames = {job.node_name};
  if (!reader.failed()) return job;
  return tl::unexpected(reader.error("inside a Slurm job, outside its steps", "start the program with srun"));
}

}  // namespace

bool is_slurm_job(const EnvMap& env) {
  return env.has("SLURM_JOB_ID") || env.has("SLURM_PROCID");
}

Expected<JobEnvironment> JobEnvironment::from_slurm_step(const EnvMap& env) {
  JobEnvironment job = make_default_job(EnvironmentSource::slurm);
  VariableReader reader(env, job);
  read_job(reader, job);
  read_step(reader, job);
  if (!reader.failed()) return job;
  return tl::unexpected(
      reader.error("Slurm's variables do not describe a rank",
                   "start it with srun; ranks follow the nodes in blocks (--distribution=block)"));
}

Expected<JobEnvironment> from_slurm(const EnvMap& env) {
  if (!env.has("SLURM_STEP_ID")) return from_slurm_shell(env);
  auto job = JobEnvironment::from_slurm_step(env);
  if (!job || job->world_size == 1) return job;
  VariableReader reader(env, *job);
  for (const char* variable : {"SLURM_JOB_ID", "SLURM_NTASKS", "SLURM_STEP_NODELIST"})
    reader.look_up(variable);
  read_rendezvous(reader, *job);
  if (!reader.failed()) return job;
  return tl::unexpected(reader.error(
      "the ranks of this Slurm step cannot find each other",
      "use ddpsubmit run, or set MASTER_ADDR to the host of rank 0 and MASTER_PORT to a free port there"));
}

}  // namespace ddp
