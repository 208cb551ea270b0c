#include "cli/launchers/slurm/query/array_limit.hpp"

#include <fmt/format.h>

namespace ddp::cli {

Expected<int> array_limit_of(const SlurmConfig& config) {
  if (!config.array_limit) {
    return fail(ExitCode::preflight_failed, "Slurm did not tell its maximum array size",
                "nothing was submitted; try again");
  }
  if (*config.array_limit > 0) return *config.array_limit;
  return fail(ExitCode::scheduler_refused, "this cluster takes no job arrays: its MaxArraySize is 0",
              "start a run for each point");
}

std::optional<Error> find_broken_job_count(const RunSpec& spec, const SlurmConfig& config) {
  const auto points = spec.points.size();
  if (!config.max_job_count || points <= static_cast<std::size_t>(*config.max_job_count)) return std::nullopt;
  const auto limit =
      fmt::format("the cluster takes at most {} jobs in all (MaxJobCount)", *config.max_job_count);
  // A rerun is made of the specs of its points: they have no axes.
  if (spec.sweep.empty()) {
    return Error{ExitCode::preflight_failed,
                 fmt::format("{} points of the sweep are to run: {}", points, limit),
                 "rerun them singly, each when there is room in the queue: ddpsubmit rerun SWEEP/K"};
  }
  return Error{ExitCode::preflight_failed, fmt::format("the sweep has {} points: {}", points, limit),
               "submit it as several sweeps, one after another",
               spec.origins.mark("sweep." + spec.sweep.front().name)};
}

}  // namespace ddp::cli
