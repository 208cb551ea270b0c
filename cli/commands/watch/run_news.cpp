#include "cli/commands/watch/run_news.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/run/sweep_table.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

/// `next` follows `before` after a failure, or as the first one of a rerun or of a requeued job.
std::string render_start(const AttemptStatus& before, const AttemptStatus& next) {
  if (!next.restarted) {
    const auto step =
        next.resumed_from ? fmt::format(" and resumes from step {}", *next.resumed_from) : std::string();
    return fmt::format("attempt {} starts{}", next.number, step);
  }
  const auto from = next.resumed_from ? fmt::format(" from step {}", *next.resumed_from) : std::string();
  return fmt::format("attempt {} failed: {}; restarting as attempt {}{}", before.number, before.message,
                     next.number, from);
}

bool has_begun(const AttemptStatus& attempt) {
  return attempt.restarted || !attempt.hosts.empty();
}

/// Its agents may still come together. It may also end before: then it never begins.
bool is_before_start(const AttemptStatus& attempt) {
  return !has_begun(attempt) && attempt.outcome.empty();
}

bool all_final(const std::vector<RunStatus>& points) {
  return std::ranges::all_of(points, [](const RunStatus& point) { return is_final(point.state); });
}

}  // namespace

RunNews::RunNews(RunPointer pointer, const RunStatus& known, Reporter& reporter)
    : pointer_(std::move(pointer)), reporter_(reporter), newest_attempt_(known.newest_attempt()) {
  if (auto record = load_sweep_record(RunFolder(pointer_.run_dir))) sweep_ = std::move(*record);
  for (std::size_t number = 0; number < known.points.size(); ++number) {
    if (is_final(known.points[number].state)) points_told_.insert(number);
  }
}

/// The claim of an attempt is there a little before the words about it.
void RunNews::tell_attempts() {
  if (RunFolder(pointer_.run_dir).highest_attempt().value_or(-1) <= newest_attempt_) return;
  const auto status = load_recorded_status(pointer_);
  if (status.attempts.empty()) return;
  newest_attempt_ = std::max(newest_attempt_, status.attempts.front().number);
  for (std::size_t i = 1; i < status.attempts.size(); ++i) {
    const auto& next = status.attempts[i];
    if (next.number <= newest_attempt_) continue;
    if (is_before_start(next)) return;
    if (has_begun(next)) reporter_.note(render_start(status.attempts[i - 1], next));
    newest_attempt_ = next.number;
  }
}

/// The sweep's head may live on for a moment behind the end of the last one.
void RunNews::tell_points() {
  if (!sweep_) return;
  const auto points = load_recorded_status(pointer_).points;
  if (all_final(points)) return;
  for (std::size_t number = 0; number < points.size(); ++number) {
    if (!is_final(points[number].state) || !points_told_.insert(number).second) continue;
    reporter_.note(fmt::format("{}: {}", render_point(*sweep_, number), name_of(points[number].state)));
  }
}

}  // namespace ddp::cli
