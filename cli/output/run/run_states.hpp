#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// State, time and reason of each run, one row a run under a headline; the points of sweeps below.
[[nodiscard]] std::string render_run_states(const std::vector<KnownRun>& runs,
                                            std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
