#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What is valid, and likely not meant: one line each. Pure.
[[nodiscard]] std::vector<std::string> warn_of_spec(const RunSpec& spec);

/// What is as it should be, and worth knowing before the first run: one line each. Pure.
[[nodiscard]] std::vector<std::string> advise_on_spec(const RunSpec& spec);

}  // namespace ddp::cli
