#pragma once

#include <nlohmann/json.hpp>

#include "cli/store/report/run_report.hpp"

namespace ddp::cli {

[[nodiscard]] nlohmann::json cause_to_json(const Cause& cause);

/// `recovery` of a run, whose fields docs/run-folder.md lists.
[[nodiscard]] nlohmann::json to_json(const RunReport& report);

}  // namespace ddp::cli
