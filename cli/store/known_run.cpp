#include "cli/store/known_run.hpp"

#include <algorithm>

namespace ddp::cli {

std::int64_t reached_step(const KnownRun& run) {
  if (!run.progress) return 0;
  std::int64_t reached = run.progress->step;
  for (const auto& attempt : run.status.attempts) {
    if (attempt.number == run.progress->attempt && attempt.last_step)
      reached = std::max(reached, static_cast<std::int64_t>(*attempt.last_step));
  }
  return reached;
}

}  // namespace ddp::cli
