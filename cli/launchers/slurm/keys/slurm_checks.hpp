#pragma once

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Adds an error for whatever Slurm cannot do with a spec; `root` has the places. The section `slurm` is
/// checked whichever launcher the spec is for.
void check_slurm_keys(const RunSpec& spec, const ConfigNode& root, Errors& errors);

}  // namespace ddp::cli
