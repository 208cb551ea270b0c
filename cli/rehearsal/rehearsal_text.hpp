#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/rehearsal/rehearsal_report.hpp"

namespace ddp::cli {

/// What was done, what it cost, whether the results are equal, and what follows for the interval: lines with
/// a headline each.
[[nodiscard]] std::string render_rehearsal(const RehearsalReport& report);

/// The value of ddpsubmit.rehearse.v1, whose fields docs/rehearse.md lists.
[[nodiscard]] nlohmann::json to_json(const RehearsalReport& report);

}  // namespace ddp::cli
