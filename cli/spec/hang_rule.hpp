#pragma once

#include <string>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What fault_tolerance.hang_timeout means for this run, in a sentence.
[[nodiscard]] std::string render_hang_rule(const RunSpec& spec);

}  // namespace ddp::cli
