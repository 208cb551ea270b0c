#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/launch/launcher.hpp"
#include "cli/launch/plan/launch_plan_builder.hpp"
#include "cli/spec/run_spec.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Where ddpsubmit finds the programs of a run: its own beside itself, those of the user in PATH.
[[nodiscard]] PlanPaths locate_programs(const RunSpec& spec, const std::filesystem::path& own_folder,
                                        const std::filesystem::path& work_dir, const EnvMap& environment);

/// A training on this machine.
struct TrainingHere {
  RunSpec spec;        ///< with the LibTorch that it would load
  EnvMap environment;  ///< of its ranks, before set-up lines
  PlanPaths paths;
};

/// What `train:` of `spec` would start on this machine; null, or a run of another kind: with no key of
/// `train:` set.
[[nodiscard]] TrainingHere find_training_here(const RunSpec* spec, const std::filesystem::path& own_folder,
                                              const std::filesystem::path& work_dir, const EnvMap& submitter);

/// An error when ddp-agent is not there, or the trainer, or for a run on this machine the program of
/// `command:`; each at the key that names it.
[[nodiscard]] Errors find_missing_programs(const RunSpec& spec, const PlanPaths& paths,
                                           const EnvMap& environment);

/// An error for each program of ddpsubmit that every user can change, or put another in its place.
[[nodiscard]] Errors find_exposed_programs(const RunSpec& spec, const PlanPaths& paths);

/// What to do about libraries that `trainer` does not find.
[[nodiscard]] std::string advise_on_libraries(const std::string& trainer);

/// An error that names the libraries which the trainer would not find; a warning where its loader is not
/// known. Nothing when that cannot be foreseen, because lines of `setup` or variables under `set` may say
/// where they are.
[[nodiscard]] Preflight find_unlinked_trainer(const RunSpec& spec, const PlanPaths& paths,
                                              const EnvMap& environment, CommandRunner& runner);

}  // namespace ddp::cli
