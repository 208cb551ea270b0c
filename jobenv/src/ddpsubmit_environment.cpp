#include <algorithm>
#include <limits>
#include <string>

#include "agreement.hpp"
#include "environment_sources.hpp"
#include "variable_reader.hpp"

namespace ddp {
namespace {

/// DDPSUBMIT_ and the field's name in capitals.
std::string variable_of(const std::string& field) {
  std::string variable = "DDPSUBMIT_";
  for (const char c : field) variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return variable;
}

/// CUDA_VISIBLE_DEVICES tells the GPUs: they are the launcher's, not ours.
bool is_in_block(const EnvironmentRow& row) {
  return row.field != "gpus";
}

/// Reads fields from the variables of their names.
class BlockReader {
 public:
  explicit BlockReader(VariableReader& reader) : reader_(reader) {}

  void text(std::string& value, const char* field, Need need) {
    reader_.read_text(value, field, variable_of(field), need);
  }
  void number(int& value, const char* field, int least, int most = std::numeric_limits<int>::max()) {
    reader_.read_number(value, field, variable_of(field), Need::required, least, most);
  }

 private:
  VariableReader& reader_;
};

void read_run(BlockReader block, JobEnvironment& job) {
  block.text(job.run_id, "run_id", Need::required);
  block.text(job.run_dir, "run_dir", Need::required);
  block.number(job.attempt, "attempt", 0);
  block.text(job.launcher, "launcher", Need::required);
  block.text(job.job_id, "job_id", Need::optional);
  block.text(job.array_job_id, "array_job_id", Need::optional);
  block.text(job.array_task_id, "array_task_id", Need::optional);
}

void read_place(BlockReader block, JobEnvironment& job) {
  block.number(job.rank, "rank", 0);
  block.number(job.local_rank, "local_rank", 0);
  block.number(job.node_rank, "node_rank", 0);
  block.number(job.world_size, "world_size", 1);
  block.number(job.local_world_size, "local_world_size", 1);
  block.text(job.node_name, "node_name", Need::required);
}

void read_rendezvous(BlockReader block, JobEnvironment& job) {
  constexpr int kHighestPort = 65535;
  block.text(job.master_address, "master_address", Need::required);
  block.number(job.master_port, "master_port", 1, kHighestPort);
  block.text(job.nonce, "nonce", Need::required);
  block.text(job.interface, "interface", Need::optional);
}

void read_limits(BlockReader block, JobEnvironment& job) {
  block.number(job.cpus_per_task, "cpus_per_task", 1);
  block.text(job.stop_signal, "stop_signal", Need::optional);
  block.number(job.restart_count, "restart_count", 0);
}

}  // namespace

bool is_ddpsubmit_rank(const EnvMap& env) {
  const std::vector<EnvironmentRow> rows = rows_of(JobEnvironment());
  return std::any_of(rows.begin(), rows.end(), [&](const EnvironmentRow& row) {
    return is_in_block(row) && env.has(variable_of(row.field));
  });
}

Expected<JobEnvironment> from_ddpsubmit(const EnvMap& env) {
  JobEnvironment job = make_default_job(EnvironmentSource::ddpsubmit);
  VariableReader reader(env, job);
  const BlockReader block(reader);
  read_run(block, job);
  reader.expect(job.run_dir.empty() || job.run_dir.front() == '/',
                "DDPSUBMIT_RUN_DIR is not an absolute path");
  read_place(block, job);
  reader.read_layout(variable_of("tasks_per_node"), Need::required);
  reader.read_hostnames(variable_of("hostnames"), Need::required);
  read_rendezvous(block, job);
  read_limits(block, job);
  reader.read_deadline(variable_of("deadline"));
  reader.read_gpus();
  if (!reader.failed()) check_agreement(job, reader);
  if (!reader.failed()) return job;
  return tl::unexpected(
      reader.error("the DDPSUBMIT_ variables do not describe a rank",
                   "ddp-agent sets all of them; unset what a shell or a script has left behind"));
}

EnvMap JobEnvironment::to_env() const {
  EnvMap env;
  for (EnvironmentRow& row : rows_of(*this)) {
    if (is_in_block(row) && !row.value.empty()) env.set(variable_of(row.field), std::move(row.value));
  }
  return env;
}

}  // namespace ddp
