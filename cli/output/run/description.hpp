#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// All that is known of a run: one row a fact, then its attempts, or the points of a sweep. Times are local.
/// `columns`: of the terminal; nullopt: there is none.
[[nodiscard]] std::string render_description(const KnownRun& run, std::chrono::system_clock::time_point now,
                                             std::optional<std::size_t> columns = std::nullopt);

}  // namespace ddp::cli
