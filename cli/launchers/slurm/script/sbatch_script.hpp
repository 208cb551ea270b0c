#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::cli {

struct SbatchScriptInput {
  const LaunchPlan& plan;
  std::vector<SbatchOption> options;              ///< recorded as #SBATCH lines
  std::vector<SbatchOption> srun_options;         ///< recorded in comments
  std::vector<std::string> setup;                 ///< lines of shell, run before ddp-agent
  std::optional<int> first_point = std::nullopt;  ///< of a sweep: what task 0 of the array stands for
  std::string template_text;
  std::string template_name;  ///< for messages
};

/// The template that is built in.
[[nodiscard]] std::string_view default_sbatch_template();

/// The batch script. Pure.
[[nodiscard]] Expected<std::string> render_sbatch_script(const SbatchScriptInput& input);

}  // namespace ddp::cli
