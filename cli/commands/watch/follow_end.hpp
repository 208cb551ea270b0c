#pragma once

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// A FollowEnd tells how the following of a run ended.
struct FollowEnd {
  enum class Reason { run_ended, interrupted, timed_out };
  Reason reason = Reason::run_ended;
  int signal = 0;  ///< the first that came, also when the run ended because of it
  KnownRun run;
};

}  // namespace ddp::cli
