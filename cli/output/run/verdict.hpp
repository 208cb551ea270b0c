#pragma once

#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// How a run ended, for the person who waited for it: state, cause, the end of the cause's stderr or, where
/// that has just been shown, the line that matters, and the next command; of a training that succeeded, where
/// its parameters are.
[[nodiscard]] std::string render_verdict(const KnownRun& run);

/// How it ended, behind "run X ": "failed: rank 1 on n2 exited with code 3".
[[nodiscard]] std::string render_end(const RunStatus& status);

}  // namespace ddp::cli
