#pragma once

#include "cli/launch/slurm/slurm_tools.hpp"
#include "cli/script/sbatch_options.hpp"

/// The way of a run into Slurm's queue.
namespace ddp::cli {

[[nodiscard]] Expected<std::vector<SbatchOption>> sbatch_options_of(const LaunchRequest& request);

/// Asks sbatch --test-only: sbatch accepts jobs that can never start, this refuses them.
[[nodiscard]] Expected<void> test_submission(const LaunchRequest& request, const SlurmTools& tools);

/// Hands the script of the run folder to sbatch. ExitCode::outcome_unknown when the answer was lost.
[[nodiscard]] Expected<Submission> submit_to_slurm(const LaunchRequest& request, const SlurmTools& tools);

}  // namespace ddp::cli
