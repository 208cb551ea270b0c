#pragma once

#include <cstddef>
#include <string>

#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// How many points of a sweep have succeeded; 0 of a single run.
[[nodiscard]] std::size_t succeeded_points(const RunStatus& sweep);
/// "2 of 3 points succeeded"
[[nodiscard]] std::string render_succeeded_points(const RunStatus& sweep);

}  // namespace ddp::cli
