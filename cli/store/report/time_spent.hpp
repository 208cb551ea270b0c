#pragma once

#include <chrono>
#include <optional>

#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// How a run has spent the time since its newest submission, up to its end or to `now`.
struct TimeSpent {
  /// In front of its first head, and between the end of one head and the start of the next. Set-up lines of a
  /// Slurm job count as waiting. nullopt: not known.
  std::optional<std::chrono::milliseconds> waited = {};
  std::optional<std::chrono::milliseconds> ran = {};  ///< the rest; nullopt: it has not started, or not known

  bool operator==(const TimeSpent&) const = default;
};

/// Of a sweep: from the start of the first point to the end of the last one.
[[nodiscard]] TimeSpent time_spent_by(const RunStatus& status, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
