#include "cli/commands/start/step_watch.hpp"

#include <algorithm>
#include <system_error>

#include "jobenv/record/live/live_record.hpp"

namespace ddp::cli {

std::optional<std::int64_t> StepWatch::look() {
  look_at_live_ranks();
  const auto& pace = training_.look();
  return std::max(pace ? std::optional(pace->step) : std::nullopt, live_step_);
}

/// Whoever looks every few milliseconds reads a file once.
void StepWatch::look_at_live_ranks() {
  std::error_code absent;
  const auto written = std::filesystem::last_write_time(folder_.live(), absent);
  if (absent || written == seen_) return;
  seen_ = written;
  const auto live = load_live_record(folder_, attempt_);
  if (live && live->summary.highest_step) live_step_ = static_cast<std::int64_t>(*live->summary.highest_step);
}

}  // namespace ddp::cli
