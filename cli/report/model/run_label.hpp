#pragma once

#include <string>

#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

/// The values of a point of a sweep of the model: "learning_rate 0.1"; empty for other runs.
[[nodiscard]] std::string values_of_point(const ReportModel& model, const KnownRun& run);

/// The id of a run, and behind it the values of a point. Where the model is of one sweep, "0: learning_rate
/// 0.1".
[[nodiscard]] std::string label_of(const ReportModel& model, const KnownRun& run);

/// Whether the runs are the points of one sweep.
[[nodiscard]] bool is_about_one_sweep(const ReportModel& model);

}  // namespace ddp::cli
