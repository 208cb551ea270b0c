#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// The points of a sweep, one row each under a headline: values, state, the last metrics, how long it ran.
/// Below it why points wait, or how they failed, one line for all that have the same reason. `columns`: of
/// the terminal; nullopt: there is none.
[[nodiscard]] std::string render_sweep_table(const KnownRun& sweep, std::chrono::system_clock::time_point now,
                                             std::optional<std::size_t> columns = std::nullopt);

/// "learning_rate 0.001, seed 2"
[[nodiscard]] std::string render_point_values(const SweepRecord& sweep, std::size_t point);

/// "point 3: learning_rate 0.001, seed 2"
[[nodiscard]] std::string render_point(const SweepRecord& sweep, std::size_t point);

}  // namespace ddp::cli
