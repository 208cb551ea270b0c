#include "cli/store/known_run.hpp"

#include <algorithm>

namespace ddp::cli {

std::int64_t reached_step(const KnownRun& run) {
  if (!run.progress) return 0;
  const auto& attempts = run.status.attempts;
  if (run.progress->attempt < run.status.newest_attempt() && attempts.back().last_step)
    return static_cast<std::int64_t>(*attempts.back().last_step);
  std::int64_t reached = run.progress->step;
  for (const auto& attempt : attempts) {
    if (attempt.number == run.progress->attempt && attempt.last_step)
      reached = std::max(reached, static_cast<std::int64_t>(*attempt.last_step));
  }
  return reached;
}

void add_report(KnownRun& run, std::chrono::system_clock::time_point now) {
  for (auto& point : run.points) add_report(point, now);
  if (run.sweep || run.status.attempts.empty()) return;
  const auto checkpoint = run.checkpoint ? std::optional(run.checkpoint->step) : std::nullopt;
  auto report =
      report_run(run.status, load_training_history(RunFolder(run.pointer.run_dir)), checkpoint, now);
  if (!report.attempts.empty()) run.report = std::move(report);
}

}  // namespace ddp::cli
