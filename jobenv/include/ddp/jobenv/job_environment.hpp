#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp {

/// One GPU of this task as the launcher gave it.
struct Gpu {
  int ordinal = 0;   ///< index within CUDA_VISIBLE_DEVICES
  std::string uuid;  ///< what CUDA_VISIBLE_DEVICES holds at that index: an index or a UUID
  bool operator==(const Gpu&) const = default;
};

/// Who described the job: the sources of JobEnvironment::from, in the order in which they are asked.
enum class EnvironmentSource { ddpsubmit, slurm, torch, single };
[[nodiscard]] std::string_view name_of(EnvironmentSource source);

/// What a task knows about the job it belongs to. The same under every launcher; a plain value.
///
/// Every field has an origin: the variable it was read from, or "default".
struct JobEnvironment {
  std::string run_id;               ///< empty outside a ddpsubmit run
  std::string run_dir;              ///< absolute; empty outside a ddpsubmit run
  int attempt = 0;                  ///< counts from 0
  std::string launcher = "single";  ///< local, slurm, ssh; "torch": torchrun or alike; "single": nobody
  std::string job_id;               ///< the scheduler's, or empty
  std::string array_job_id;
  std::string array_task_id;
  int rank = 0;
  int local_rank = 0;
  int node_rank = 0;
  int world_size = 1;
  int local_world_size = 1;
  std::vector<int> tasks_per_node = {1};
  std::vector<std::string> hostnames;
  std::string node_name;
  std::string master_address = "127.0.0.1";
  int master_port = 0;    ///< 0: not known, rank 0 chooses one (single process only)
  std::string nonce;      ///< the store holds it under the key "nonce"; empty outside an agent
  std::string interface;  ///< local address to bind collectives to; empty: LibTorch's choice
  int cpus_per_task = 1;
  std::vector<Gpu> gpus;
  std::optional<std::chrono::system_clock::time_point> deadline;  ///< when the scheduler ends the job
  std::string stop_signal;  ///< name without SIG, e.g. USR2; empty: none
  int restart_count = 0;    ///< of the scheduler: requeues of the same job
  EnvironmentSource source = EnvironmentSource::single;

  std::map<std::string, std::string> origins;  ///< field name -> variable it came from, or "default"

  /// Reads the job from `env`: DDPSUBMIT_* (set by ddp-agent), else SLURM_* of a job step, else torch's
  /// RANK/WORLD_SIZE/…, else a single process. Nothing is guessed: ranks, nodes and tasks per node must agree
  /// with each other, and inside a Slurm job torch's ranks and sizes are not looked at. A source of which one
  /// variable is set must be complete. The error names every contradiction and lists what was read, a line a
  /// variable.
  ///
  /// Under a bare `srun` the rendezvous cannot be known: with more than one task MASTER_ADDR and MASTER_PORT
  /// must be given and fit the job (MASTER_ADDR the name of rank 0's host or an IP address, loopback on one
  /// node only), else the error says what is missing. In a Slurm job outside of its steps (batch script,
  /// salloc) only a job of one task is accepted.
  ///
  /// From torch's variables the number of nodes follows by LOCAL_WORLD_SIZE (equal on all nodes); it may be
  /// missing only when MASTER_ADDR is loopback, that is when there is one node.
  [[nodiscard]] static Expected<JobEnvironment> from(const EnvMap& env);

  /// The SLURM_* of a job step alone: everything but the rendezvous. For ddp-agent under srun, which learns
  /// that from head.
  [[nodiscard]] static Expected<JobEnvironment> from_slurm_step(const EnvMap& env);

  /// The DDPSUBMIT_* block; `from(to_env())` gives the same fields (deadline in whole seconds) for a job as
  /// ddp-agent describes it: run, hosts, rendezvous and nonce are known. CUDA_VISIBLE_DEVICES belongs to the
  /// launcher and is not in it.
  [[nodiscard]] EnvMap to_env() const;

  /// RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, NODE_RANK, MASTER_ADDR, MASTER_PORT, for programs that
  /// know torch's names.
  [[nodiscard]] EnvMap to_torch_env() const;
};

/// One printable row per field, in the order of the struct; `value` is what its DDPSUBMIT_ variable holds:
/// lists in Slurm's notation, the deadline in seconds since 1970, empty for what is not known. Used by
/// `ddpsubmit env`.
struct EnvironmentRow {
  std::string field;
  std::string value;
  std::string origin;
};
[[nodiscard]] std::vector<EnvironmentRow> rows_of(const JobEnvironment& job);

}  // namespace ddp
