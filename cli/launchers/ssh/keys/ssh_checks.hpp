#pragma once

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What is wrong with the ssh hosts of a spec, and what a run on them cannot have.
void check_ssh(const RunSpec& spec, const ConfigNode& root, Errors& errors);

}  // namespace ddp::cli
