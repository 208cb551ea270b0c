#include "cli/output/run/live_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

constexpr double kLongestRest = 1e9;  // seconds
constexpr double kFarBehind = 10;     // seconds

/// Of ranks that do something else than steps.
std::string render_phases(const LiveRecord& live) {
  std::string text;
  for (const auto& [phase, ranks] : live.summary.phases) {
    if (phase == name_of(Phase::step) || phase == name_of(Phase::start)) continue;
    const bool all = ranks == static_cast<std::uint64_t>(live.summary.ranks);
    text += text.empty() ? "" : ", ";
    text += all ? fmt::format("in '{}'", phase)
                : fmt::format("{} of {} ranks in '{}'", ranks, live.summary.ranks, phase);
  }
  return text;
}

}  // namespace

std::string render_step(std::int64_t step, const KnownRun& run) {
  if (run.live && run.live->total_steps) return fmt::format("step {} of {}", step, *run.live->total_steps);
  if (run.progress && run.progress->total_steps)
    return fmt::format("step {} of {}", step, *run.progress->total_steps);
  return fmt::format("step {}", step);
}

std::optional<milliseconds> time_left(const LiveRecord& live, std::int64_t step) {
  if (!live.total_steps || !live.seconds_per_step) return {};
  const double steps = std::max(0.0, static_cast<double>(*live.total_steps) - static_cast<double>(step));
  const double seconds = steps * *live.seconds_per_step;
  if (steps == 0 || seconds > kLongestRest) return {};
  return milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::optional<milliseconds> time_to_limit(const KnownRun& run, std::chrono::system_clock::time_point now) {
  if (!run.live || !run.live->job_end || *run.live->job_end <= now) return {};
  return std::chrono::duration_cast<milliseconds>(*run.live->job_end - now);
}

bool ends_too_early(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto limit = time_to_limit(run, now);
  const auto left = limit ? time_left(*run.live, reached_step(run)) : std::nullopt;
  return left && *left > *limit;
}

std::string render_time_left(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto left = run.live ? time_left(*run.live, reached_step(run)) : std::nullopt;
  const auto limit = time_to_limit(run, now);
  std::string text = left ? fmt::format("about {} left", render_short_time(*left)) : "";
  if (!limit) return text;
  text += text.empty() ? "" : "; ";
  if (!ends_too_early(run, now)) return text + fmt::format("time limit in {}", render_short_time(*limit));
  return text + fmt::format("will not finish before the time limit in {}{}", render_short_time(*limit),
                            run.requeued_at_limit ? ", when the job is requeued and resumes" : "");
}

std::string render_live(const KnownRun& run, std::chrono::system_clock::time_point now) {
  if (!run.live) return {};
  std::string text;
  for (const auto& part : {render_time_left(run, now), render_phases(*run.live), render_straggler(*run.live)})
    text += (text.empty() || part.empty() ? "" : "; ") + part;
  return text;
}

/// Looks at ranks are seconds apart, and ranks in lockstep differ by a step.
std::string render_straggler(const LiveRecord& live) {
  const auto is_in_steps = [](const LiveRank& rank) {
    return rank.step && rank.phase.text() == name_of(Phase::step);
  };
  const LiveRank* slowest = nullptr;
  for (const auto& rank : live.ranks)
    if (is_in_steps(rank) && (slowest == nullptr || rank.step < slowest->step)) slowest = &rank;
  const auto median = live.summary.median_step;
  if (slowest == nullptr || !median || !live.seconds_per_step || *median < *slowest->step) return {};
  const auto steps = *median - *slowest->step;
  if (steps < 2 || static_cast<double>(steps) * *live.seconds_per_step < kFarBehind) return {};
  return fmt::format("rank {} on {} is {} steps behind the others", slowest->rank, slowest->host, steps);
}

std::string render_use(const LiveRecord& live, int rank) {
  const auto found = std::ranges::find(live.ranks, rank, &LiveRank::rank);
  if (found == live.ranks.end()) return {};
  const auto cpu = found->cpu_percent ? fmt::format("{:.0f} % CPU, ", *found->cpu_percent) : "";
  const auto gpu = found->gpu_percent ? fmt::format(", GPU {:.0f} % and {} MiB", *found->gpu_percent,
                                                    found->gpu_memory_bytes >> 20)
                                      : "";
  return cpu + fmt::format("{} MiB{}", found->memory_bytes >> 20, gpu);
}

}  // namespace ddp::cli
