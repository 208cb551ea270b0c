#include "cli/output/run/run_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

std::string render_ended_points(const std::vector<RunStatus>& points) {
  const auto ended = std::ranges::count_if(points, [](const auto& point) { return is_final(point.state); });
  return fmt::format("{}/{} points", ended, points.size());
}

std::string render_share(const KnownRun& run) {
  if (!run.status.points.empty()) return render_ended_points(run.status.points);
  const auto step = reached_step(run);
  if (!run.live || step == 0) return {};
  const auto total = run.live->total_steps.value_or(0);
  if (total == 0) return fmt::format("step {}", step);
  return fmt::format("{} %", 100 * static_cast<std::uint64_t>(step) / total);
}

std::string render_left(const KnownRun& run) {
  const auto left = run.live ? time_left(*run.live, reached_step(run)) : std::nullopt;
  return left ? render_short_time(*left) : "";
}

std::string render_limit(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto limit = time_to_limit(run, now);
  return limit ? render_short_time(*limit) : "";
}

}  // namespace

std::string render_run_list(const std::vector<KnownRun>& runs, std::chrono::system_clock::time_point now,
                            const std::vector<std::uint64_t>& sizes) {
  std::vector<std::vector<std::string>> rows{
      {"RUN", "LAUNCHER", "STATE", "PROGRESS", "LEFT", "LIMIT IN", "AGE", "JOB"}};
  for (const auto& run : runs) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - run.pointer.created);
    rows.push_back({run.pointer.run_id, run.pointer.launcher, words_of(run.status.state),
                    or_dash(render_share(run)), or_dash(render_left(run)), or_dash(render_limit(run, now)),
                    render_age(age), or_dash(run.pointer.job_id)});
  }
  if (!sizes.empty()) rows.front().emplace_back("SIZE");
  for (std::size_t i = 0; i < sizes.size(); ++i) rows[i + 1].push_back(render_file_size(sizes[i]));
  return render_table(rows);
}

}  // namespace ddp::cli
