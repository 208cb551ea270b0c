#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// How a run ended, for the person who waited for it: state, cause, the end of the cause's stderr, and the
/// next command; of a training that succeeded, where its parameters are.
[[nodiscard]] std::string render_verdict(const KnownRun& run);

/// One row a run, under a headline.
[[nodiscard]] std::string render_run_list(const std::vector<KnownRun>& runs,
                                          std::chrono::system_clock::time_point now);

/// State and reason of each run, one line a run.
[[nodiscard]] std::string render_run_states(const std::vector<KnownRun>& runs,
                                            std::chrono::system_clock::time_point now);

/// All that is known of a run.
[[nodiscard]] std::string render_description(const KnownRun& run, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
