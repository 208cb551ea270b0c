#pragma once

#include <chrono>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// All that is known of a run: one row a fact, then its attempts, or the points of a sweep. Times are local.
[[nodiscard]] std::string render_description(const KnownRun& run, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
