#pragma once

#include "cli/launchers/slurm/query/slurm_tools.hpp"
#include "cli/launchers/slurm/script/sbatch_options.hpp"

/// The way of a run into Slurm's queue.
namespace ddp::cli {

[[nodiscard]] Expected<std::vector<SbatchOption>> sbatch_options_of(const LaunchRequest& request);

/// sbatch, `mode` (an option of its own) and the options of the request; no script yet.
[[nodiscard]] Expected<std::vector<std::string>> sbatch_argv(const std::string& mode,
                                                             const LaunchRequest& request);

/// Hands the script of the run folder to sbatch, so that there is one job in the end, or none. When the
/// answer is lost the job is looked for by its token: found, it is taken; surely absent, it is submitted once
/// more; else ExitCode::outcome_unknown. `lock`: see Launcher::submit.
[[nodiscard]] Expected<Submission> submit_to_slurm(const LaunchRequest& request, int lock,
                                                   const SlurmTools& tools);

}  // namespace ddp::cli
