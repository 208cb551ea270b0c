#pragma once

#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Whether a key of `slurm.options` can be handed to sbatch. Refused with ExitCode::config_invalid: options
/// that have a key of their own or that ddpsubmit relies on, and all short forms, because sbatch takes every
/// unambiguous beginning of a long option for the option. A name that is not known is good: newer versions of
/// Slurm have more, and the sbatch at hand refuses what it does not know.
[[nodiscard]] Expected<void> check_sbatch_option(std::string_view name);

/// Whether the option of that name takes `value`; an empty one stands for none. Without a value that it needs
/// an option would take the next one for it.
[[nodiscard]] Expected<void> check_sbatch_value(std::string_view name, std::string_view value);

}  // namespace ddp::cli
