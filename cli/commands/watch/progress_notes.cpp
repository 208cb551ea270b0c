#include "cli/commands/watch/progress_notes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"

namespace ddp::cli {
namespace {

/// Of the attempt that goes on. Until it has told one, the last step is that of an attempt before.
std::optional<std::int64_t> step_of_attempt(const KnownRun& run) {
  if (!run.live) return std::nullopt;
  const bool logged = run.progress && run.progress->attempt == run.live->attempt;
  if (!logged && !run.live->summary.median_step) return std::nullopt;
  return reached_step(run);
}

}  // namespace

void ProgressNotes::hear_ranks() {
  silent_since_ = clock_.steady();
  pause_ = kShortest;
}

void ProgressNotes::look() {
  const auto now = clock_.steady();
  if (now - silent_since_ < pause_) return;
  silent_since_ = now;
  const auto run = add_details(pointer_, load_recorded_status(pointer_), Details::progress);
  const auto step = step_of_attempt(run);
  if (!step) return;
  if (std::exchange(told_attempt_, run.live->attempt) != run.live->attempt) told_step_ = 0;
  if (*step <= told_step_) return;
  told_step_ = *step;
  pause_ = std::min(pause_ * 2, kLongest);
  reporter_.note(join_parts({render_progress(run), render_time_left(run, clock_.now())}));
}

}  // namespace ddp::cli
