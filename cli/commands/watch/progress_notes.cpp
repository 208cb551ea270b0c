#include "cli/commands/watch/progress_notes.hpp"

#include <algorithm>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"

namespace ddp::cli {

void ProgressNotes::look() {
  const auto now = clock_.steady();
  if (now - silent_since_ < pause_) return;
  silent_since_ = now;
  const auto run = add_details(pointer_, load_recorded_status(pointer_), Details::progress);
  const auto step = reached_step(run);
  if (!run.live || step <= told_step_) return;
  told_step_ = step;
  pause_ = std::min(pause_ * 2, kLongest);
  reporter_.note(join_parts({render_progress(run), render_time_left(run, clock_.now())}));
}

}  // namespace ddp::cli
