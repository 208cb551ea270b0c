#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launch/plan/launch_plan_builder.hpp"

namespace ddp::cli {

/// Where a run is put, and from where it is started.
struct RunPlace {
  RunFolder folder;
  std::filesystem::path work_dir;  ///< absolute; where the programs run, unless in a copy that is to be made
  std::filesystem::path own_folder;  ///< of ddpsubmit's executable
  EnvMap submitter;                  ///< the environment of ddpsubmit
  std::string submit_dir = {};       ///< of a run that is started again: LaunchPlan::submit_dir
};

/// A run worked out in full, with nothing written yet.
struct PreparedRun {
  LaunchRequest request;
  PlanPaths paths;
  std::optional<std::string> script;  ///< what the launcher submits
  std::vector<std::string> dropped;   ///< names of variables that the job does not inherit
};

/// The folder of a new run: RUN_ROOT/NAME-xxxxxxxx, not made yet.
[[nodiscard]] RunFolder choose_folder(const RunSpec& spec, std::chrono::system_clock::time_point now);

/// Asks nothing outside and writes nothing.
[[nodiscard]] Expected<PreparedRun> prepare_run(RunSpec spec, RunPlace place, Launcher& launcher,
                                                std::string token);

/// The programs of one point of a sweep.
[[nodiscard]] PlanPaths paths_of_point(const RunSpec& point, const PreparedRun& sweep);

/// The secrets' values by their names. Refuses when one is not set.
[[nodiscard]] Expected<nlohmann::json> collect_secrets(const EnvironmentSpec& spec, const EnvMap& submitter);

}  // namespace ddp::cli
