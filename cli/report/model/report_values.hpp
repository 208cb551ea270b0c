#pragma once

#include <nlohmann/json.hpp>

#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

/// The model for programs: docs/report.md has the fields.
[[nodiscard]] nlohmann::json to_json(const ReportModel& model);

}  // namespace ddp::cli
