#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Keys that somebody has set and that change nothing in this run, with their place and the reason; one line
/// each. Pure.
[[nodiscard]] std::vector<std::string> find_idle_keys(const RunSpec& spec);

}  // namespace ddp::cli
