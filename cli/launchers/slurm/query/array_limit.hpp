#pragma once

#include "cli/launchers/slurm/query/slurm_config.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Tasks of an array have numbers below this one: the lesser of MaxArraySize and MaxJobCount.
[[nodiscard]] Expected<int> array_limit_of(const SlurmConfig& config);

/// Why a sweep, or the points of it that are to run again, could never be in the queue together; nullopt:
/// they could, or `spec` is no sweep.
[[nodiscard]] std::optional<Error> find_broken_job_count(const RunSpec& spec, const SlurmConfig& config);

}  // namespace ddp::cli
