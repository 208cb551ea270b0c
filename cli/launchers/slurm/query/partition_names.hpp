#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/slurm/query/slurm_tools.hpp"

namespace ddp::cli {

/// What `sinfo --format=%R` has printed: a name a line, each once, sorted. Pure.
[[nodiscard]] std::vector<std::string> parse_partition_names(std::string_view answer);

/// Of the partitions of the cluster; none when it does not answer soon.
[[nodiscard]] std::vector<std::string> ask_partition_names(const SlurmTools& tools);

}  // namespace ddp::cli
