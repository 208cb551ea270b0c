#pragma once

#include <string_view>
#include <vector>

#include "cli/doctor/probe_report.hpp"

namespace ddp::cli {

/// "srun: error: Task launch for StepId=2.0 failed on node NAME: WHY", each in a line. Pure.
[[nodiscard]] std::vector<FailedLaunch> parse_failed_launches(std::string_view text);

}  // namespace ddp::cli
