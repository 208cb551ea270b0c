#pragma once

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {

/// What this process tells its agent. Of the process, so it is never destroyed.
inline ProgressPage& shown_page() {
  static ProgressPage page;
  show_progress_on(page);
  return page;
}

}  // namespace ddp::trainer
