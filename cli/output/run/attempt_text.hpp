#pragma once

#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// One attempt of the run: how it ended, where and when it ran, what it cost, and a table of its ranks.
[[nodiscard]] std::string render_attempt(const KnownRun& run, const AttemptStatus& attempt);

}  // namespace ddp::cli
