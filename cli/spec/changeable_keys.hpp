#pragma once

#include <string>
#include <vector>

#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// Reports each key of `changes` that may not change between two attempts of a run, at its place: with
/// another value of it the checkpoints, the ranks or the folder would be those of another run. `swept` are
/// the keys of the sweep that the run is a point of.
void check_changes(const ConfigNode& changes, const std::vector<std::string>& swept, Errors& errors);

}  // namespace ddp::cli
