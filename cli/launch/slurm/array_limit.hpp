#pragma once

#include <string_view>

#include "cli/launch/slurm/slurm_tools.hpp"

namespace ddp::cli {

/// Tasks of an array have numbers below this one: the lesser of MaxArraySize and MaxJobCount. Asks scontrol.
[[nodiscard]] Expected<int> ask_array_limit(const SlurmTools& tools);

/// What `scontrol show config` says; nullopt when MaxArraySize is not there. 0: the cluster takes no arrays.
[[nodiscard]] std::optional<int> parse_array_limit(std::string_view config);

}  // namespace ddp::cli
