#pragma once

#include <vector>

#include "cli/doctor/check.hpp"

namespace ddp::cli {

/// What doctor looks at of Slurm.
[[nodiscard]] std::vector<Check> slurm_checks();

}  // namespace ddp::cli
