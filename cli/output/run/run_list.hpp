#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// One row a run, under a headline. Progress, the time left and the time to the limit are those of runs
/// that train now; the progress of a sweep is how many of its points have ended. `sizes` of the run folders
/// in bytes: one for each run, or none.
[[nodiscard]] std::string render_run_list(const std::vector<KnownRun>& runs,
                                          std::chrono::system_clock::time_point now,
                                          const std::vector<std::uint64_t>& sizes = {});

}  // namespace ddp::cli
