#include "cli/top/model/run_facts.hpp"

#include <algorithm>

#include "cli/output/run/live_text.hpp"

namespace ddp::cli {
namespace {

std::optional<double> told_metric(const KnownRun& run, const char* name) {
  if (!run.live) return std::nullopt;
  const auto found = run.live->metrics.find(name);
  return found == run.live->metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> total_steps(const KnownRun& run) {
  if (run.live && run.live->total_steps) return static_cast<double>(*run.live->total_steps);
  if (run.progress && run.progress->total_steps) return static_cast<double>(*run.progress->total_steps);
  return std::nullopt;
}

}  // namespace

bool is_unread(const KnownRun& run) {
  return run.status.run_dir.empty();
}

bool is_stalled(const KnownRun& run) {
  return run.status.state == RunState::running && run.status.message.starts_with("suspected hang");
}

std::optional<double> done_share(const KnownRun& run) {
  const auto total = total_steps(run);
  if (!total || *total <= 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(reached_step(run)) / *total);
}

std::optional<double> current_loss(const KnownRun& run) {
  if (run.progress && run.progress->training_loss) return run.progress->training_loss;
  return told_metric(run, "loss");
}

std::optional<double> current_throughput(const KnownRun& run) {
  if (run.progress && run.progress->samples_per_second) return run.progress->samples_per_second;
  return told_metric(run, "samples_per_second");
}

std::optional<std::chrono::milliseconds> time_to_end(const KnownRun& run) {
  return run.live ? time_left(*run.live, reached_step(run)) : std::nullopt;
}

}  // namespace ddp::cli
