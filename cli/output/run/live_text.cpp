#include "cli/output/run/live_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

constexpr double kLongestRest = 1e9;  // seconds
constexpr double kFarBehind = 10;     // seconds

std::string render_rest(const LiveRecord& live, std::int64_t step) {
  const auto left = time_left(live, step);
  return left ? fmt::format("about {} left", render_elapsed(*left)) : "";
}

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

/// The rank that is furthest behind the others, where they would need ten seconds to come to where they are.
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

std::string render_live(const LiveRecord& live, std::int64_t step) {
  std::string text;
  for (const auto& part : {render_rest(live, step), render_phases(live), render_straggler(live)})
    text += (text.empty() || part.empty() ? "" : "; ") + part;
  return text;
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
