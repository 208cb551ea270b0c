#pragma once

#include <nlohmann/json.hpp>

#include "cli/export/run_export.hpp"

namespace ddp::cli {

/// run_id, state, point, values, and series: one of each kind and metric, with lists of the same length for
/// step, epoch, attempt, time and value.
[[nodiscard]] nlohmann::json export_json(const RunExport& run);

}  // namespace ddp::cli
