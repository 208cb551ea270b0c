#include "cli/store/report/known_run.hpp"

#include <algorithm>

namespace ddp::cli {

std::optional<std::int64_t> unlogged_step(const KnownRun& run) {
  if (!run.progress || run.progress->attempt >= run.status.newest_attempt()) return std::nullopt;
  const auto& last_step = run.status.attempts.back().last_step;
  return last_step ? std::optional(static_cast<std::int64_t>(*last_step)) : std::nullopt;
}

std::int64_t reached_step(const KnownRun& run) {
  if (!run.progress) return 0;
  if (const auto step = unlogged_step(run)) return *step;
  std::int64_t reached = run.progress->step;
  for (const auto& attempt : run.status.attempts) {
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
