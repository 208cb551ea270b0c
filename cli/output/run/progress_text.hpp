#pragma once

#include <chrono>
#include <initializer_list>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// "step 1200 of 9380, epoch 3, loss 0.0421", or, where more steps were done than logged, "step 1230 (epoch
/// 3, loss 0.0421 at step 1200)". Of an attempt that ended before it logged anything: "step 12". Empty: no
/// step is known.
[[nodiscard]] std::string render_progress(const KnownRun& run);

/// The same without the step, where the message of the run names it.
[[nodiscard]] std::string render_news(const KnownRun& run);

/// The scheduler's estimate: "expected to start at 2026-11-21 20:15:04, in 3 min". Empty: there is none, or
/// its time has come.
[[nodiscard]] std::string render_expected_start(const RunStatus& status,
                                                std::chrono::system_clock::time_point now);

/// How long the run has run up to its end or to `now`; "-": it has not started, or nobody knows.
[[nodiscard]] std::string render_running_time(const RunStatus& status,
                                              std::chrono::system_clock::time_point now);

/// "-" in place of nothing.
[[nodiscard]] std::string or_dash(const std::string& text);

/// Those that are not empty, with "; " between them.
[[nodiscard]] std::string join_parts(std::initializer_list<std::string> parts);

}  // namespace ddp::cli
