#pragma once

#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

/// What a job may wait for, in Slurm's syntax: `afterok:12:13,singleton`, or with '?' between the parts when
/// one of them is enough.
namespace ddp::cli {

/// Refuses with ExitCode::config_invalid what Slurm would refuse, and what it would take for something else:
/// of a list with both separators it takes the last one for all.
[[nodiscard]] Expected<void> check_dependency(std::string_view list);

/// `list`, for a job that has to wait for the end of job `id` besides. Where one part of `list` is enough,
/// Slurm cannot be told both: then it is `id` alone, which has itself waited for `list`.
[[nodiscard]] std::string add_end_of_job(std::string_view list, std::string_view id);

}  // namespace ddp::cli
