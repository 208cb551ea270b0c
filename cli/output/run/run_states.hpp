#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// State, time and reason of each run, a row per run under a headline; the points of sweeps below. Of a run
/// that has failed further rows tell the likely cause, and of one alone what to do next. `columns`: of the
/// terminal; nullopt: there is none.
[[nodiscard]] std::string render_run_states(const std::vector<KnownRun>& runs,
                                            std::chrono::system_clock::time_point now,
                                            std::optional<std::size_t> columns = std::nullopt);

}  // namespace ddp::cli
