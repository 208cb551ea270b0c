#pragma once

#include "cli/spec/run_spec.hpp"
#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// What no single key of a spec can tell: values that contradict each other, names that mean something
/// elsewhere. `root` is the tree that `spec` was read from.
void check_run_spec(const RunSpec& spec, const ConfigNode& root, Errors& errors);

}  // namespace ddp::cli
