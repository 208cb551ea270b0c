#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// One row a run, under a headline. Progress, the time left and the time to the limit are those of runs
/// that train now.
[[nodiscard]] std::string render_run_list(const std::vector<KnownRun>& runs,
                                          std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
