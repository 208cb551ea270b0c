#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/program_path.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The absolute paths that a plan needs besides the spec's.
struct PlanPaths {
  std::string agent;              ///< ddp-agent
  std::string trainer;            ///< the program of `train:`; empty for `command:`
  std::string work_dir;           ///< where the programs run
  LibraryFolders libraries = {};  ///< of the trainer
};

/// Pure.
[[nodiscard]] LaunchPlan make_launch_plan(const RunSpec& spec, const RunFolder& folder,
                                          const PlanPaths& paths);

/// The process that a run on this machine begins with.
[[nodiscard]] std::vector<std::string> head_command(const LaunchPlan& plan);

/// The process that an ssh host begins with: of node K, with that in place of the last word.
[[nodiscard]] std::vector<std::string> node_command(const LaunchPlan& plan);

/// The process that runs points of a sweep on this machine, one after another; `plan` is that of the sweep.
[[nodiscard]] std::vector<std::string> sweep_command(const LaunchPlan& plan, const std::vector<int>& points,
                                                     const std::string& token);

}  // namespace ddp::cli
