#include "cli/commands/watch/run_news.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/run/point_text.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

using ShownLines = std::map<int, std::string>;

/// PyTorch puts the rank in front of a line.
bool was_shown(const std::string& line, const ShownLines& shown) {
  return std::ranges::any_of(shown, [&](const auto& last) { return last.second.ends_with(line); });
}

/// "attempt 0 failed: rank 1 on n1 ended with exit code 1; likely cause: OSError: disk full"
std::string render_failed_attempt(const AttemptStatus& failed, const ShownLines& shown) {
  const auto& likely = failed.likely_cause;
  const bool is_known = likely.empty() || was_shown(likely, shown);
  return fmt::format("attempt {} failed: {}{}{}", failed.number, failed.message,
                     is_known ? "" : "; likely cause: ", is_known ? "" : likely);
}

/// `next` follows `before` after a failure, or as the first one of a rerun or of a requeued job.
std::string render_start(const AttemptStatus& before, const AttemptStatus& next, const ShownLines& shown) {
  if (!next.restarted) {
    const auto step =
        next.resumed_from ? fmt::format(" and resumes from step {}", *next.resumed_from) : std::string();
    return fmt::format("attempt {} starts{}", next.number, step);
  }
  const auto from = next.resumed_from ? fmt::format(" from step {}", *next.resumed_from) : std::string();
  return fmt::format("{}; restarting as attempt {}{}", render_failed_attempt(before, shown), next.number,
                     from);
}

bool has_begun(const AttemptStatus& attempt) {
  return attempt.restarted || !attempt.hosts.empty();
}

/// Its agents may still come together. It may also end before: then it never begins.
bool is_before_start(const AttemptStatus& attempt) {
  return !has_begun(attempt) && attempt.outcome.empty();
}

/// A point that was started again and waits has its start still before it.
bool has_started(const RunStatus& point) {
  return point.started && point.state != RunState::queued;
}

/// One line tells all such points.
bool was_cancelled_before_start(const RunStatus& point) {
  return !point.started && point.state == RunState::cancelled;
}

}  // namespace

RunNews::RunNews(RunPointer pointer, const RunStatus& known, const std::vector<int>& new_points,
                 Reporter& reporter)
    : pointer_(std::move(pointer)), reporter_(reporter), newest_attempt_(known.newest_attempt()) {
  if (auto record = load_sweep_record(RunFolder(pointer_.run_dir))) sweep_ = std::move(*record);
  skip_known_points(known.points, new_points);
}

void RunNews::skip_known_points(const std::vector<RunStatus>& known, const std::vector<int>& new_points) {
  const std::set<int> news(new_points.begin(), new_points.end());
  for (std::size_t number = 0; number < known.size(); ++number) {
    if (news.contains(static_cast<int>(number))) continue;
    if (has_started(known[number])) starts_told_.insert(number);
    if (is_final(known[number].state)) ends_told_.insert(number);
  }
}

/// The claim of an attempt is there a little before the words about it.
void RunNews::tell_attempts(const std::map<int, std::string>& shown) {
  if (RunFolder(pointer_.run_dir).highest_attempt().value_or(-1) <= newest_attempt_) return;
  const auto status = load_recorded_status(pointer_);
  if (status.attempts.empty()) return;
  newest_attempt_ = std::max(newest_attempt_, status.attempts.front().number);
  for (std::size_t i = 1; i < status.attempts.size(); ++i) {
    const auto& next = status.attempts[i];
    if (next.number <= newest_attempt_) continue;
    if (is_before_start(next)) return;
    if (has_begun(next)) reporter_.note(render_start(status.attempts[i - 1], next, shown));
    newest_attempt_ = next.number;
  }
}

void RunNews::tell_points() {
  if (sweep_) tell_points(load_recorded_status(pointer_).points);
}

void RunNews::tell_points(const std::vector<RunStatus>& points) {
  if (!sweep_) return;
  std::vector<int> unstarted;
  for (std::size_t number = 0; number < points.size(); ++number) {
    const auto& point = points[number];
    if (has_started(point) && starts_told_.insert(number).second)
      reporter_.note(render_point_start(*sweep_, number));
    if (!is_final(point.state) || !ends_told_.insert(number).second) continue;
    if (was_cancelled_before_start(point))
      unstarted.push_back(static_cast<int>(number));
    else
      reporter_.note(render_point_end(*sweep_, number, load_point(number, point)));
  }
  if (!unstarted.empty()) reporter_.note(render_unstarted_points(unstarted));
}

KnownRun RunNews::load_point(std::size_t number, const RunStatus& status) const {
  return add_details(point_pointer(pointer_, static_cast<int>(number)), status, Details::progress);
}

}  // namespace ddp::cli
