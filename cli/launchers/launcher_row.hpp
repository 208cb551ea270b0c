#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/launcher_options.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/config/config_node.hpp"
#include "jobenv/record/plan/launcher_traits.hpp"

namespace ddp {
class RunFolder;
struct LaunchPlan;
struct LatestCheckpoint;
}  // namespace ddp

namespace ddp::cli {

class Launcher;
struct Check;
struct FailedLaunch;
struct LauncherSeams;
struct RunPointer;
struct RunSpec;
struct RunStatus;

/// Whether a run belongs to this process, and stops when it dies, or lives on its own.
enum class Attachment { attached, detached };

/// Where the ranks run.
enum class RanksRun { here, on_nodes };

/// Whose environment the ranks start with.
enum class EnvironmentOf { submitter, node };

/// What a person can do with the launcher's own tools, for hints; null: nothing is known.
struct ByHand {
  /// How to find the job of a run whose id is not known.
  std::string (*find_job)(const RunStatus& run, const RunPointer& pointer) = nullptr;
  /// How to end what is left of a run whose folder is gone; empty: nothing is left.
  std::string (*end_run)(const RunStatus& run, const RunPointer& pointer) = nullptr;
  /// The command that ends a job.
  std::string (*end_job)(const std::string& job_id) = nullptr;
  /// The command that lets a suspended job go on.
  std::string (*resume_job)(const std::string& job_id) = nullptr;
  /// The command that shows what runs on a host of the run.
  std::string (*look_at_host)(const std::string& host) = nullptr;
};

/// All that ddpsubmit has to know of a launcher: a row of the table in cmake/Launchers.cmake. What is null
/// does not apply to it.
struct LauncherRow {
  std::string_view name;
  LauncherTraits traits;  ///< what ddp-agent obeys
  Attachment default_attachment = Attachment::detached;
  RanksRun ranks_run = RanksRun::on_nodes;
  EnvironmentOf environment = EnvironmentOf::submitter;
  std::vector<std::string> sets_variables =
      {};                                ///< that no job inherits, since the launcher sets those of the job
  bool starts_with_fewer_nodes = false;  ///< when some of them are unreachable: fault_tolerance.min_nodes

  // ---- the configuration
  std::string_view section_doc = {};  ///< of the section that has the launcher's name
  std::unique_ptr<LauncherOptions> (*make_options)() = nullptr;
  /// What variables of the submitter say, as the lowest layer of the configuration of a run for the launcher.
  ConfigNode (*read_variables)(const EnvMap& submitter) = nullptr;
  /// The keys that a first configuration file for the launcher has: whole lines of YAML with comments.
  std::string_view first_lines = {};
  std::vector<std::string_view> changeable_keys = {};  ///< of its section, between two attempts of a run
  std::string_view section_is_shared = {};  ///< why the points of a sweep cannot differ in that section
  std::string_view refuses_sweeps = {};     ///< why it runs none; empty: it does
  /// Completes a spec that was read: loads what the section names.
  void (*complete)(RunSpec& spec, Errors& errors) = nullptr;
  /// Of every spec: those for another launcher may have the section, too.
  void (*check)(const RunSpec& spec, const ConfigNode& root, Errors& errors) = nullptr;
  /// Of a spec for this launcher, one line each.
  void (*warn)(const RunSpec& spec, std::vector<std::string>& warnings) = nullptr;
  /// The hosts that the run is for, by node rank.
  std::vector<std::string> (*name_hosts)(const RunSpec& spec) = nullptr;
  /// Whether the hosts have the run folder in common; null: they do.
  bool (*shares_folder)(const RunSpec& spec) = nullptr;
  /// Whether its section has `file`, a path that starts in the current folder, copied to the hosts; null:
  /// never.
  bool (*copies_file)(const RunSpec& spec, const std::string& file) = nullptr;
  /// What its section adds to the plan of a run.
  void (*complete_plan)(const RunSpec& spec, LaunchPlan& plan) = nullptr;
  /// The sections `KEY=VALUE` that keep `hosts` out of a run.
  std::string (*exclude_hosts)(const RunSpec& spec, const std::vector<std::string>& hosts) = nullptr;
  /// What a key of its section can be, as only the outside knows: asked for briefly. Empty: nothing is known.
  std::vector<std::string> (*propose_values)(std::string_view key, const LauncherSeams& seams) = nullptr;
  /// Leaves out of a spec what would tell people of a job that is only a trial.
  void (*silence)(RunSpec& spec) = nullptr;

  // ---- runs
  std::unique_ptr<Launcher> (*make)(const LauncherSeams& seams) = nullptr;
  ByHand by_hand = {};
  /// Where the tensors of a run's newest checkpoint are; null: `here`, on this machine.
  LatestCheckpoint (*place_of_checkpoint)(LatestCheckpoint here, const RunFolder& folder,
                                          const RunStatus& status) = nullptr;
  /// Of the output of a job: on which hosts the ranks could not be started, and why.
  std::vector<FailedLaunch> (*parse_failed_launches)(std::string_view job_output) = nullptr;
  /// The checks of doctor for this launcher, in the order of the report.
  std::vector<Check> (*doctor_checks)() = nullptr;

  [[nodiscard]] bool has_scheduler() const { return !traits.scheduler.empty(); }
};

/// The table of the launchers. The first one is the default.
[[nodiscard]] std::span<const LauncherRow* const> all_launchers();

/// nullptr: there is none of that name.
[[nodiscard]] const LauncherRow* find_launcher(std::string_view name);

/// The one whose ranks run on this machine.
[[nodiscard]] const LauncherRow& launcher_here();

/// Whether a run of that launcher waits in the queue of a scheduler.
[[nodiscard]] bool has_scheduler(std::string_view launcher);

}  // namespace ddp::cli
