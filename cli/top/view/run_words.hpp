#pragma once

#include <chrono>
#include <string>

#include "cli/store/report/known_run.hpp"
#include "cli/top/view/line.hpp"

namespace ddp::cli {

/// The state in a word; FAILED, TIMED OUT and STALLED stand out without colours, too.
[[nodiscard]] std::string render_state_word(const KnownRun& run);
[[nodiscard]] Style style_of_state(const KnownRun& run);

/// Of a run that has no progress to show: why it waits, how it ended, or what it is about. One line.
[[nodiscard]] std::string render_note(const KnownRun& run, std::chrono::system_clock::time_point now);

/// Of a run that makes progress: what somebody may want to do something about. Empty: nothing.
[[nodiscard]] std::string render_warning(const KnownRun& run, std::chrono::system_clock::time_point now);

/// "0.0421", "1.2e-05"; empty for nothing.
[[nodiscard]] std::string render_loss(std::optional<double> loss);
/// "12,345"
[[nodiscard]] std::string render_rate(std::optional<double> samples_per_second);

}  // namespace ddp::cli
