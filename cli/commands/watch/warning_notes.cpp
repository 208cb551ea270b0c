#include "cli/commands/watch/warning_notes.hpp"

#include <algorithm>

#include "cli/store/state/recorded_status.hpp"

namespace ddp::cli {

void WarningNotes::look() {
  const auto now = clock_.steady();
  if (now - looked_ < pause_) return;
  looked_ = now;
  pause_ = std::min<std::chrono::seconds>(2 * pause_, kLongest);
  tell(load_recorded_status(pointer_));
}

void WarningNotes::tell(const RunStatus& status) {
  for (const AttemptStatus& attempt : status.attempts) {
    for (const std::string& warning : attempt.warnings) {
      if (told_.insert(warning).second) reporter_.note("warning: " + warning);
    }
  }
}

}  // namespace ddp::cli
