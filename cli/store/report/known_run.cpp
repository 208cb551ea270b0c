#include "cli/store/report/known_run.hpp"

#include <algorithm>

#include "cli/store/state/run_records.hpp"

namespace ddp::cli {
namespace {

/// What most of the living ranks have come to.
std::optional<std::int64_t> live_step(const KnownRun& run) {
  if (!run.live || !run.live->summary.median_step) return std::nullopt;
  return static_cast<std::int64_t>(*run.live->summary.median_step);
}

std::optional<std::int64_t> last_step(const KnownRun& run) {
  if (run.status.attempts.empty() || !run.status.attempts.back().last_step) return std::nullopt;
  return static_cast<std::int64_t>(*run.status.attempts.back().last_step);
}

/// For its time limit. Plans are read only where it matters.
bool may_be_too_slow(const LiveRecord& live) {
  if (!live.job_end || !live.total_steps || !live.seconds_per_step) return false;
  const auto steps = *live.total_steps - std::min(*live.total_steps, live.summary.lowest_step.value_or(0));
  const auto rest = std::chrono::duration<double>(static_cast<double>(steps) * *live.seconds_per_step);
  return rest > *live.job_end - live.time;
}

/// At its time limit, once more.
bool may_requeue(const LaunchPlan& plan, const AttemptStatus& newest) {
  return plan.requeue && (!plan.max_requeues || newest.restart_count < *plan.max_requeues);
}

}  // namespace

bool is_command(const KnownRun& run) {
  return run.plan && run.plan->program == ProgramKind::command;
}

std::optional<std::int64_t> unlogged_step(const KnownRun& run) {
  if (!run.progress || run.progress->attempt >= run.status.newest_attempt()) return std::nullopt;
  if (const auto step = live_step(run)) return step;
  return last_step(run);
}

std::int64_t reached_step(const KnownRun& run) {
  if (!run.progress) return live_step(run).value_or(last_step(run).value_or(0));
  if (const auto step = unlogged_step(run)) return *step;
  std::int64_t reached = std::max(run.progress->step, live_step(run).value_or(0));
  for (const auto& attempt : run.status.attempts) {
    if (attempt.number == run.progress->attempt && attempt.last_step)
      reached = std::max(reached, static_cast<std::int64_t>(*attempt.last_step));
  }
  return reached;
}

std::optional<std::uint64_t> step_of(const KnownRun& run, const LiveRank& rank) {
  const auto median = run.live ? run.live->summary.median_step : std::nullopt;
  if (!rank.step || !median || !run.progress || run.progress->attempt != run.live->attempt) return rank.step;
  const auto reached = static_cast<std::uint64_t>(std::max<std::int64_t>(0, reached_step(run)));
  if (reached <= *median) return rank.step;
  return std::max(*rank.step, std::min(*rank.step + (reached - *median), reached));
}

void add_live(KnownRun& run) {
  const auto& status = run.status;
  if (status.state != RunState::running || status.attempts.empty()) return;
  const RunFolder folder(run.pointer.run_dir);
  run.live = load_live_record(folder, status.newest_attempt());
  if (!run.live || !may_be_too_slow(*run.live)) return;
  const auto plan = load_run_plan(folder);
  run.requeued_at_limit = plan && may_requeue(*plan, status.attempts.back());
}

void fill_in_live_ranks(KnownRun& run) {
  if (!run.live || run.status.attempts.empty()) return;
  for (auto& rank : run.status.attempts.back().ranks) {
    const auto live = std::ranges::find(run.live->ranks, rank.rank, &LiveRank::rank);
    if (rank.ended || live == run.live->ranks.end()) continue;
    rank.phase = live->phase.text();
    rank.last_step = step_of(run, *live);
  }
}

void add_report(KnownRun& run, std::chrono::system_clock::time_point now) {
  for (auto& point : run.points) add_report(point, now);
  if (run.sweep || run.status.attempts.empty()) return;
  const RunFolder folder(run.pointer.run_dir);
  std::optional<std::uint64_t> saved;  // nobody knows what a command has saved
  if (load_program_kind(folder) == ProgramKind::trainer) saved = run.checkpoint ? run.checkpoint->step : 0;
  auto report = report_run(run.status, load_training_history(folder), saved, now);
  if (!report.attempts.empty()) run.report = std::move(report);
}

}  // namespace ddp::cli
