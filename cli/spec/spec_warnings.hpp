#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What is valid, and likely not meant: one line each. Pure.
[[nodiscard]] std::vector<std::string> warn_of_spec(const RunSpec& spec);

}  // namespace ddp::cli
