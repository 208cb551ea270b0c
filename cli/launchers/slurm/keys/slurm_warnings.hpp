#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What a spec for Slurm says that is valid and likely not meant, one line each. Pure.
void warn_of_slurm_keys(const RunSpec& spec, std::vector<std::string>& warnings);

}  // namespace ddp::cli
