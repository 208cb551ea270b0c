#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/rank_layout.hpp"
#include "jobenv/record/plan/launcher_traits.hpp"
#include "jobenv/record/plan/waits.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp {

/// What the ranks run: the bundled trainer (or a binary built on it), which obeys its progress page, or any
/// program.
enum class ProgramKind { trainer, command };
[[nodiscard]] std::string_view name_of(ProgramKind program);

/// Whom the stop signal of the scheduler is meant for: it ends a program that does not expect it.
enum class StopSignalFor {
  all_ranks,
  heeding_ranks,  ///< a command whose ranks all heed their pages; nobody else hears of it
};
[[nodiscard]] std::string_view name_of(StopSignalFor value);

/// What follows when ranks hang.
enum class HangAnswer { restart, tell };
[[nodiscard]] std::string_view name_of(HangAnswer value);

/// Who connects the ranks of an MPI program with each other.
enum class ProcessManagerKind {
  none,
  pmi1,      ///< ddp-agent, by the first version of PMI
  launcher,  ///< what starts the agents, for one attempt
};
[[nodiscard]] std::string_view name_of(ProcessManagerKind value);

/// Everything that ddp-agent has to know of a run, resolved by the CLI: plan.json in the run folder.
struct LaunchPlan {
  std::string run_id;
  std::string name;                ///< of the run
  std::string run_dir;             ///< absolute
  std::string launcher;            ///< its name in the table of the launchers
  LauncherTraits traits;           ///< what it can do
  std::vector<std::string> hosts;  ///< their names, by node rank; empty: they are known when the job starts
  bool shared_folder =
      true;  ///< false: each host has a run folder of its own, and what it records goes to head's
  int nodes = 1;
  int tasks_per_node = 1;
  int cpus_per_task = 1;
  int gpus_per_node = 0;
  ProgramKind program = ProgramKind::trainer;
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH when it holds no slash
  std::string work_dir;           ///< absolute; where the ranks run
  std::string submit_dir;         ///< absolute, on the submit host: the folder in which ddpsubmit was called
  std::string agent;              ///< absolute path of ddp-agent
  std::vector<std::string> start_options;  ///< more options of the program that starts the agents
  std::string output_link;  ///< pattern of the name of a link to the log of rank 0, absolute; empty: none
  std::map<std::string, std::string> set;  ///< environment.set
  std::string python_folder;               ///< behind the ranks' PYTHONPATH; empty: none
  LibraryFolders libraries;                ///< around the ranks' LD_LIBRARY_PATH
  std::vector<std::string> setup;          ///< lines of bash that run before the ranks start
  std::vector<std::string> setup_places;   ///< of each of them: "run.yaml:4:13"; or none
  std::string interface = "auto";          ///< rendezvous.interface: auto, or a network interface's name
  ProcessManagerKind process_manager = ProcessManagerKind::none;
  std::chrono::seconds rendezvous_timeout{300};
  std::optional<std::chrono::seconds> time_limit;  ///< resources.time
  std::optional<std::string>
      stop_signal;  ///< sent by the scheduler signal_lead before the end; nullopt: none
  StopSignalFor stop_signal_for = StopSignalFor::all_ranks;
  std::chrono::seconds signal_lead{120};
  std::chrono::seconds grace_period{30};
  std::optional<std::chrono::seconds>
      kill_wait;  ///< of the scheduler, between its TERM and its KILL; nullopt: none, or not known
  std::chrono::seconds exit_timeout{600};
  std::optional<std::chrono::seconds> hang_timeout{
      60};  ///< of steps, and of other phases; nullopt: no hang is looked for
  HangAnswer hang_answer = HangAnswer::restart;
  int max_restarts = 0;
  std::vector<int> fewer_nodes;  ///< with how many an attempt may do, too; ascending, below `nodes`
  bool resumes = true;           ///< a training goes on from the newest checkpoint of its run folder
  bool requeue = false;  ///< the scheduler may start the job again; head asks for it at the time limit
  std::optional<int> max_requeues;          ///< at the time limit; nullopt: as long as steps advance
  std::vector<std::string> notify_command;  ///< that is told what happens to the run; empty: none
  std::vector<std::string> notify_events;   ///< names of what it is told
  std::string spec_checksum;                ///< of spec.yaml
  Waits waits;

  bool operator==(const LaunchPlan&) const = default;
};

/// Where the ranks run: as many on each node.
[[nodiscard]] RankLayout layout_of(const LaunchPlan& plan);

/// What ranks may have of the time until the scheduler kills them: head needs the rest for its records.
[[nodiscard]] std::chrono::milliseconds leave_time_for_records(std::chrono::milliseconds left);
/// How long ranks may take to stop: grace_period, or less before the end of kill_wait.
[[nodiscard]] std::chrono::milliseconds grace_of(const LaunchPlan& plan);

/// Of the text of spec.yaml: it tells whether somebody has edited the file.
[[nodiscard]] std::string checksum_of_spec(std::string_view text);

[[nodiscard]] nlohmann::json to_json(const LaunchPlan& plan);
/// Strict: an unknown schema or field, a missing, mistyped or impossible value is an error that names the
/// field.
[[nodiscard]] Expected<LaunchPlan> parse_launch_plan(const nlohmann::json& json);

}  // namespace ddp
