#pragma once

#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// What sbatch would take from its variables in `submitter`, such as SBATCH_ACCOUNT, as the lowest layer of a
/// configuration. The place of a value is its variable.
[[nodiscard]] ConfigNode read_sbatch_variables(const EnvMap& submitter);

/// Whether sbatch takes a time limit for that of the partition.
[[nodiscard]] bool is_no_time_limit(std::string text);

/// A time limit of sbatch, for which a bare number has minutes, as a file has it; nullopt: it is none.
[[nodiscard]] std::optional<std::string> duration_of_sbatch(const std::string& text);

}  // namespace ddp::cli
