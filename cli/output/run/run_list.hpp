#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// One row a run, under a headline. The time left and the time to the limit are those of runs that train now;
/// the progress of a run that has ended is its last step, that of a sweep how many of its points have ended.
/// `sizes` of the run folders in bytes: one for each run, or none. `columns` of the terminal: a list that is
/// wider leaves out columns without any value, and then gives each id a line of its own, as ids are what
/// other commands take. nullopt: no terminal.
[[nodiscard]] std::string render_run_list(const std::vector<KnownRun>& runs,
                                          std::chrono::system_clock::time_point now,
                                          const std::vector<std::uint64_t>& sizes = {},
                                          std::optional<std::size_t> columns = std::nullopt);

}  // namespace ddp::cli
