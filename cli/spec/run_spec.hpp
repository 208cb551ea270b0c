#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/launchers/launcher_row.hpp"
#include "jobenv/config/config_node.hpp"
#include "jobenv/config/fields.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/config/rendezvous.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::cli {

/// Where each value was written, by dotted path; absent: the default. It tells about a spec and is no part of
/// its value, so any two are equal.
struct ValueOrigins {
  std::map<std::string, Place> by_path;

  /// Of the value at `path`; nullopt when it is the default.
  [[nodiscard]] std::optional<SourceMark> mark(const std::string& path) const;
  /// Of an item of a list of texts; where that is not known, of the list.
  [[nodiscard]] std::optional<SourceMark> mark_item(const std::string& list, std::size_t index) const;

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

struct EnvironmentSpec {
  bool inherit = true;
  std::map<std::string, std::string> set;
  std::vector<std::string> pass;                ///< names taken over when `inherit` is false
  std::vector<std::string> secrets;             ///< names only; values come from the submitter's environment
  std::vector<std::string> setup;               ///< lines of shell before the program
  bool snapshot = false;                        ///< see RunSpec::keeps_snapshot
  std::optional<std::uint64_t> snapshot_limit;  ///< in bytes; see RunSpec::snapshot_limit
  bool record_diff = false;                     ///< also without a copy

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

struct NotifySpec {
  std::vector<std::string> command;  ///< empty: nobody is told
  std::vector<std::string> events;   ///< as written; see RunSpec::notify_events

  bool operator==(const NotifySpec&) const = default;
};

struct SweepOptions {
  std::optional<std::int64_t> at_once;  ///< how many points may run at the same time; nullopt: any number

  bool operator==(const SweepOptions&) const = default;
};

/// One run, resolved and checked: what the YAML files, the user's own file and the command line say together.
/// Paths are absolute.
struct RunSpec {
  std::string name;
  const LauncherRow* launcher = all_launchers().front();
  std::string run_root;  ///< absolute
  Resources resources;
  LauncherSections sections;  ///< of all launchers; see options_of
  EnvironmentSpec environment;
  trainer::Rendezvous rendezvous;
  FaultTolerance fault_tolerance;
  NotifySpec notify;
  std::map<std::string, std::string> args;    ///< what stands for `{args.NAME}` in `command`; see command_of
  std::vector<std::string> command;           ///< as written; empty when `train` is set
  std::optional<trainer::TrainConfig> train;  ///< exactly one of `command` and `train` is set
  /// What the program of `train` can be told.
  std::shared_ptr<const trainer::ComponentSchemas> schemas{std::shared_ptr<void>(),
                                                           &trainer::bundled_schemas()};
  SweepOptions sweep_options;
  std::vector<NamedList> sweep;  ///< keys and the values that they take; empty: this is one run
  std::vector<RunSpec> points;   ///< of a sweep: a run of its own each; what they share is that of the first
  ValueOrigins origins;
  /// Folder of the LibTorch that the ranks load when their set-up lines lead to no other; no key has it.
  std::string spare_libtorch;

  /// The values of the sweep's keys at a point, as they stand in YAML.
  [[nodiscard]] std::vector<std::string> sweep_values(std::size_t point) const;
  [[nodiscard]] int world_size() const { return resources.nodes * resources.tasks_per_node; }
  /// Whether it is known that the model of `train` has no blocks, which fsdp would gather one by one.
  [[nodiscard]] bool model_has_no_blocks() const;
  /// How many ranks in a row divide the parameters among themselves, with strategy fsdp or hsdp.
  [[nodiscard]] int ranks_of_shard_group() const;
  /// Whether the working tree is copied into the run folder, and the ranks start in the copy. Of a training
  /// nothing is looked for there.
  [[nodiscard]] bool keeps_snapshot() const { return environment.snapshot && !train; }
  /// How large the copy may be, in bytes.
  [[nodiscard]] std::uint64_t snapshot_limit() const {
    return environment.snapshot_limit.value_or(std::uint64_t{1} << 30u);
  }
  /// The signal that the scheduler sends `signal_lead` before the time limit, without "SIG"; nullopt: none.
  /// `auto` means USR2; none for a `command` whose time limit is too short for it.
  [[nodiscard]] std::optional<std::string> stop_signal() const;
  /// With a time limit up to this, too little is left before the stop signal.
  [[nodiscard]] std::chrono::seconds shortest_time_with_signal() const;
  /// How long a rank may be silent in a step, at least, before it hangs; nullopt: as long as it likes.
  [[nodiscard]] std::optional<std::chrono::seconds> hang_timeout() const;
  /// Failures in a row, without progress, that another attempt follows. Where the file does not say: 3 for
  /// `train`, which goes on from its checkpoint; 0 for `command`, which may begin all over.
  [[nodiscard]] int max_restarts() const;
  /// With how many hosts below resources.nodes an attempt may do, too, ascending: of a training those among
  /// whose ranks the batch of a step divides.
  [[nodiscard]] std::vector<int> fewer_nodes() const;

  /// What the command under `notify` is told: by default that the run is over, once.
  [[nodiscard]] std::vector<std::string> notify_events() const;

  bool operator==(const RunSpec&) const = default;
};

/// What to change where a run with a time limit is too short for its stop signal.
[[nodiscard]] std::string advise_on_signal_lead(const RunSpec& spec);

/// The lines of shell that run before the program: those of its launcher, then those of environment.setup.
[[nodiscard]] std::vector<std::string> all_setup(const RunSpec& spec);

/// Whether lines of shell run before the program: those of environment.setup, or of the run's own launcher.
[[nodiscard]] bool has_setup(const RunSpec& spec);

/// Whether all hosts of the run see one run folder, and so the same files of the user.
[[nodiscard]] bool shares_folder(const RunSpec& spec);

/// The section of the launcher that `Options` is of.
template <class Options>
[[nodiscard]] Options& options_of(RunSpec& spec) {
  return static_cast<Options&>(*spec.sections.find(Options::kLauncher));
}
template <class Options>
[[nodiscard]] const Options& options_of(const RunSpec& spec) {
  return static_cast<const Options&>(*spec.sections.find(Options::kLauncher));
}

}  // namespace ddp::cli
