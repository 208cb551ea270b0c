#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/fields.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/config/rendezvous.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::cli {

enum class LauncherKind { local, slurm, ssh };

/// Where each value was written, by dotted path; absent: the default. It tells about a spec and is no part of
/// its value, so any two are equal.
struct ValueOrigins {
  std::map<std::string, Place> by_path;

  /// Of the value at `path`; nullopt when it is the default.
  [[nodiscard]] std::optional<SourceMark> mark(const std::string& path) const;

  bool operator==(const ValueOrigins&) const { return true; }
};

struct Resources {
  int nodes = 1;
  int tasks_per_node = 1;
  int gpus_per_node = 0;
  std::optional<std::string> gpu_type;  ///< as the cluster calls it; absent: any
  int cpus_per_task = 1;
  std::optional<std::uint64_t> memory_bytes;  ///< per node
  std::optional<std::chrono::seconds> time;   ///< wall-clock limit

  bool operator==(const Resources&) const = default;
};

struct SlurmOptions {
  std::optional<std::string> partition, account, qos, reservation, constraint, nodelist, exclude, gres,
      mail_user, mail_type;
  std::vector<std::string> setup;            ///< lines of shell for the batch script
  std::optional<std::string> template_file;  ///< absolute; instead of the built-in template
  std::map<std::string, std::string>
      options;  ///< further long options of sbatch, without the dashes; an empty value: a flag

  bool operator==(const SlurmOptions&) const = default;
};

/// A machine that ranks can be started on over ssh.
struct SshHost {
  std::string host;                   ///< as ~/.ssh/config or the resolver knows it; its name in all messages
  std::optional<std::int64_t> slots;  ///< the most ranks that it takes; nullopt: any number
  std::optional<std::string> address;  ///< to connect to in place of `host`

  bool operator==(const SshHost&) const = default;
};

/// How the hosts get the programs and the run folder: from a file system that all of them share, or by a
/// copy.
enum class Stage { shared, push };

struct SshOptions {
  std::vector<SshHost> hosts;
  std::optional<std::string> host_file;  ///< absolute; its hosts follow those of `hosts`
  std::optional<std::string> user, identity_file;
  std::optional<std::int64_t> port;
  Stage stage = Stage::shared;
  std::optional<std::string> push_folder;  ///< absolute, on the hosts; absent: ~/.ddpsubmit
  std::chrono::seconds connect_timeout{10};

  bool operator==(const SshOptions&) const = default;
};

struct EnvironmentSpec {
  bool inherit = true;
  std::map<std::string, std::string> set;
  std::vector<std::string> pass;     ///< names taken over when `inherit` is false
  std::vector<std::string> secrets;  ///< names only; values come from the submitter's environment
  std::vector<std::string> setup;    ///< lines of shell before the program

  bool operator==(const EnvironmentSpec&) const = default;
};

struct FaultTolerance {
  std::optional<std::int64_t> max_restarts;  ///< see RunSpec::max_restarts
  std::optional<std::int64_t> min_nodes;     ///< see RunSpec::fewer_nodes
  bool requeue = false;
  std::optional<std::int64_t> max_requeues;  ///< at the time limit; nullopt: as long as steps advance
  std::string signal = "auto";               ///< auto, none, USR1, USR2; see RunSpec::stop_signal
  std::chrono::seconds signal_lead{120};
  std::chrono::seconds grace_period{30};
  std::chrono::seconds exit_timeout{600};
  std::string hang_timeout = "auto";  ///< auto, off, or a duration; see RunSpec::hang_timeout

  bool operator==(const FaultTolerance&) const = default;
};

struct SweepOptions {
  std::optional<std::int64_t> at_once;  ///< how many points may run at the same time; nullopt: any number

  bool operator==(const SweepOptions&) const = default;
};

/// One run, resolved and checked: what the YAML files, the user's own file and the command line say together.
/// Paths are absolute.
struct RunSpec {
  std::string name;
  LauncherKind launcher = LauncherKind::local;
  std::string run_root;  ///< absolute
  Resources resources;
  SlurmOptions slurm;
  SshOptions ssh;
  EnvironmentSpec environment;
  trainer::Rendezvous rendezvous;
  FaultTolerance fault_tolerance;
  std::vector<std::string> command;           ///< empty when `train` is set
  std::optional<trainer::TrainConfig> train;  ///< exactly one of `command` and `train` is set
  /// What the program of `train` can be told.
  std::shared_ptr<const trainer::ComponentSchemas> schemas{std::shared_ptr<void>(),
                                                           &trainer::bundled_schemas()};
  SweepOptions sweep_options;
  std::vector<NamedList> sweep;  ///< keys and the values that they take; empty: this is one run
  std::vector<RunSpec> points;   ///< of a sweep: a run of its own each; what they share is that of the first
  ValueOrigins origins;

  /// The values of the sweep's keys at a point, as they stand in YAML.
  [[nodiscard]] std::vector<std::string> sweep_values(std::size_t point) const;
  /// The first `resources.nodes` of the ssh hosts that have slots for the ranks of a node; fewer when there
  /// are no more.
  [[nodiscard]] std::vector<SshHost> hosts_of_run() const;
  [[nodiscard]] int world_size() const { return resources.nodes * resources.tasks_per_node; }
  /// The signal that Slurm sends `signal_lead` before the time limit, without "SIG"; nullopt: none. `auto`
  /// means USR2 for `train`, none for `command`.
  [[nodiscard]] std::optional<std::string> stop_signal() const;
  /// How long a rank of `train` may be silent in a step, at least, before it hangs; nullopt: as long as it
  /// likes.
  [[nodiscard]] std::optional<std::chrono::seconds> hang_timeout() const;
  /// Failures in a row, without progress, that another attempt follows. Where the file does not say: 3 for
  /// `train`, which goes on from its checkpoint; 0 for `command`, which may begin all over.
  [[nodiscard]] int max_restarts() const;
  /// With how many hosts below resources.nodes an attempt may do, too, ascending: of a training those among
  /// whose ranks the batch of a step divides.
  [[nodiscard]] std::vector<int> fewer_nodes() const;

  bool operator==(const RunSpec&) const = default;
};

[[nodiscard]] std::string_view to_string(LauncherKind launcher);

}  // namespace ddp::cli
