#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// "point 1 (learning_rate 0.001, seed 2) starts"
[[nodiscard]] std::string render_point_start(const SweepRecord& sweep, std::size_t point);

/// "point 1 (seed 2) succeeded in 12.0 s: step 4 of 4, test loss 0.5000, accuracy 0.2500", or how
/// else it ended: one line. `run` is the point.
[[nodiscard]] std::string render_point_end(const SweepRecord& sweep, std::size_t point, const KnownRun& run);

/// "points 2-9 were cancelled before they started". `points` is not empty.
[[nodiscard]] std::string render_unstarted_points(const std::vector<int>& points);

}  // namespace ddp::cli
