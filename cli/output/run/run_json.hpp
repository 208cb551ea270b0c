#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// The state of a run: the same fields in `run`, `wait`, `status`, `list` and `cancel`. Absent values are
/// null, and so is `recovery` but at the end of `run`, `wait` and `logs --follow`, and in `describe`. `now`:
/// for how long a run goes on.
[[nodiscard]] nlohmann::json to_json(const KnownRun& run, std::chrono::system_clock::time_point now);
[[nodiscard]] nlohmann::json to_json(const std::vector<KnownRun>& runs,
                                     std::chrono::system_clock::time_point now);

/// The same, and the attempts with their ranks.
[[nodiscard]] nlohmann::json describe_json(const KnownRun& run, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
