#pragma once

#include <string>

#include "cli/store/report/run_report.hpp"

namespace ddp::cli {

/// "3 attempts, 2 failures; 37 steps lost; detected in 47 ms, first step again after 0.9 s (median)". Empty:
/// there was no second attempt.
[[nodiscard]] std::string render_recovery(const RunReport& report);

/// "94 %". Empty: not known, or of less than a minute, of which the start takes most.
[[nodiscard]] std::string render_effective_ratio(const RunReport& report);

/// "detected in 47 ms, first step again after 0.9 s", as far as it is known.
[[nodiscard]] std::string render_recovery(const AttemptReport& attempt);

}  // namespace ddp::cli
