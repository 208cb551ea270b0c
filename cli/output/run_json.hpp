#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/store/known_run.hpp"

namespace ddp::cli {

/// The state of a run: the same fields in `run`, `wait`, `status`, `list` and `cancel`. Absent values are
/// null.
[[nodiscard]] nlohmann::json to_json(const KnownRun& run);
[[nodiscard]] nlohmann::json to_json(const std::vector<KnownRun>& runs);

/// The same, and the attempts with their ranks.
[[nodiscard]] nlohmann::json describe_json(const KnownRun& run);

}  // namespace ddp::cli
