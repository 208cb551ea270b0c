#include <algorithm>
#include <array>
#include <string>

#include "agreement.hpp"
#include "environment_sources.hpp"
#include "network_address.hpp"
#include "variable_reader.hpp"

namespace ddp {
namespace {

constexpr int kMaxRanks = 1 << 20;

constexpr std::array kTorchNames = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"};

/// LOCAL_WORLD_SIZE, and NODE_RANK (torchrun: GROUP_RANK), from which torch's equal split over nodes follows.
/// Only when MASTER_ADDR is a loopback address is one node certain without them.
void read_nodes(VariableReader& reader, JobEnvironment& job) {
  const bool one_node = is_loopback(job.master_address);
  if (one_node) job.local_world_size = job.world_size;
  reader.read_number(job.local_world_size, "local_world_size", "LOCAL_WORLD_SIZE",
                     one_node ? Need::optional : Need::required, 1);
  if (reader.failed()) return;
  const int local = job.local_world_size;
  reader.expect(job.world_size % local == 0,
                "LOCAL_WORLD_SIZE does not divide WORLD_SIZE: a job with different numbers of ranks on its "
                "nodes cannot be read from these variables");
  job.tasks_per_node.assign(static_cast<std::size_t>(std::max(1, job.world_size / local)), local);
  job.node_rank = job.rank / local;
  const char* node_rank = reader.look_up("NODE_RANK") ? "NODE_RANK" : "GROUP_RANK";
  reader.read_number(job.node_rank, "node_rank", node_rank, Need::optional);
}

}  // namespace

bool is_torch_rank(const EnvMap& env) {
  return std::any_of(kTorchNames.begin(), kTorchNames.end(), [&](const char* name) { return env.has(name); });
}

Expected<JobEnvironment> from_torch(const EnvMap& env) {
  JobEnvironment job = make_default_job(EnvironmentSource::torch);
  VariableReader reader(env, job);
  reader.read_number(job.rank, "rank", "RANK", Need::required);
  reader.read_number(job.world_size, "world_size", "WORLD_SIZE", Need::required, 1, kMaxRanks);
  reader.read_number(job.local_rank, "local_rank", "LOCAL_RANK", Need::required);
  reader.read_text(job.master_address, "master_address", "MASTER_ADDR", Need::required);
  reader.read_number(job.master_port, "master_port", "MASTER_PORT", Need::required, 1, 65535);
  read_nodes(reader, job);
  reader.read_gpus();
  job.launcher = "torch";
  if (!reader.failed()) check_agreement(job, reader);
  if (!reader.failed()) return job;
  return tl::unexpected(
      reader.error("torch's variables do not describe a rank",
                   "set all of them, as torchrun does, or unset all of them for a single process"));
}

}  // namespace ddp
