#pragma once

#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

/// Reads all that the run folders hold. Of a sweep each point is a run of the report. Asks launchers for the
/// states of runs without an end in their records.
[[nodiscard]] ReportModel load_report(const std::vector<RunPointer>& pointers, const LauncherSeams& seams);

}  // namespace ddp::cli
