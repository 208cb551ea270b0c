#pragma once

#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// The command for the output of each point that has started, with the values of the point and its state:
/// those that run first, then those that did not succeed, at most 20 lines. Empty: no point has started.
[[nodiscard]] std::vector<std::string> render_log_commands(const RunPointer& sweep, const SweepRecord& record,
                                                           const RunStatus& status);

}  // namespace ddp::cli
