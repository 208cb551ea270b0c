#include "cli/store/report/run_report.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "cli/store/report/counted_steps.hpp"
#include "jobenv/record/events/events.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;
using Seconds = std::chrono::duration<double>;
using Instant = std::optional<system_clock::time_point>;

std::optional<milliseconds> between(Instant begin, Instant end) {
  if (!begin || !end) return std::nullopt;
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(*end - *begin));
}

bool has_failed(const AttemptStatus& attempt) {
  return attempt.outcome == name_of(RunState::failed) || attempt.outcome == event::kLost;
}

/// Where no rank was left to be killed, its end.
Instant detection_of(const AttemptStatus& attempt) {
  if (attempt.outcome != name_of(RunState::failed)) return std::nullopt;
  return attempt.kill_ordered ? attempt.kill_ordered : attempt.ended;
}

/// Those that the next attempt has done again; before its first step those that head has foreseen, from a
/// checkpoint that the ranks may find to be damaged.
std::optional<std::uint64_t> lost_steps_of(const AttemptStatus& attempt, const TimedStep* stepped_again) {
  const bool is_known = attempt.lost_steps || has_failed(attempt);
  if (!is_known || !attempt.last_step || stepped_again == nullptr) return attempt.lost_steps;
  const auto kept = static_cast<std::uint64_t>(std::max<std::int64_t>(stepped_again->step - 1, 0));
  return *attempt.last_step - std::min(kept, *attempt.last_step);
}

/// Of the attempts that followed some may have ended before a step.
const TimedStep* find_next_step(std::span<const AttemptStatus> later, const TrainingHistory& history) {
  for (const auto& attempt : later) {
    if (const auto* step = find_first_step(attempt.number, history)) return step;
  }
  return nullptr;
}

AttemptReport report_attempt(const AttemptStatus& attempt, std::span<const AttemptStatus> later,
                             const TrainingHistory& history) {
  const auto detection = detection_of(attempt);
  const auto* stepped_again = find_next_step(later, history);
  return {
      .number = attempt.number,
      .outcome = attempt.outcome,
      .cause = attempt.cause,
      .lost_steps = lost_steps_of(attempt, stepped_again),
      .detected_after = between(attempt.cause ? attempt.cause->since : std::nullopt, detection),
      .stepped_again_after = between(detection, stepped_again ? Instant(stepped_again->time) : std::nullopt)};
}

std::vector<AttemptStatus> attempts_of_submission(const RunStatus& run) {
  std::vector<AttemptStatus> attempts;
  for (const auto& attempt : run.attempts) {
    if (run.started && attempt.started && *attempt.started >= *run.started) attempts.push_back(attempt);
  }
  return attempts;
}

using Time = std::optional<milliseconds> AttemptReport::*;

std::optional<milliseconds> median_of(const std::vector<AttemptReport>& attempts, Time time) {
  std::vector<milliseconds> known;
  for (const auto& attempt : attempts) {
    if (attempt.*time) known.push_back(*(attempt.*time));
  }
  if (known.empty()) return std::nullopt;
  std::ranges::sort(known);
  const auto middle = known.size() / 2;
  return known.size() % 2 == 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

/// A training that was never interrupted has lost none; what one that failed for good has lost, nobody does
/// again.
std::optional<std::uint64_t> sum_lost_steps(const std::vector<AttemptReport>& attempts,
                                            const TrainingHistory& history) {
  std::optional<std::uint64_t> sum;
  const auto& first = attempts.front();
  if (attempts.size() == 1 && first.outcome != name_of(RunState::failed) && history.contains(first.number))
    sum = 0;
  for (const auto& attempt : attempts) {
    if (attempt.lost_steps) sum = sum.value_or(0) + *attempt.lost_steps;
  }
  return sum;
}

/// Of a run that has ended otherwise than well only its newest checkpoint is left.
std::optional<std::int64_t> kept_step(const RunStatus& run, std::optional<std::uint64_t> saved) {
  if (!is_final(run.state) || run.state == RunState::succeeded || !saved) return std::nullopt;
  return static_cast<std::int64_t>(*saved);
}

Instant newest_record_of(const AttemptStatus& attempt, const TrainingHistory& history) {
  const auto training = history.find(attempt.number);
  if (training == history.end() || attempt.ended) return std::nullopt;
  return training->second.steps.back().time;
}

/// `attempts` is not empty.
Instant end_of(const RunStatus& run, const std::vector<AttemptStatus>& attempts,
               const TrainingHistory& history, system_clock::time_point now) {
  const auto& last = attempts.back();
  if (is_final(run.state)) return last.ended ? last.ended : run.ended;
  if (run.state == RunState::unknown) return std::nullopt;
  const auto newest = newest_record_of(last, history);
  return newest ? std::min(*newest, now) : now;
}

std::optional<Seconds> wall_clock_of(const RunStatus& run, Instant end) {
  if (!run.started || !end || *end <= *run.started) return std::nullopt;
  return *end - *run.started;
}

}  // namespace

std::optional<double> RunReport::effective_ratio() const {
  if (!trained || !wall_clock) return std::nullopt;
  return std::min(1.0, *trained / *wall_clock);
}

RunReport report_run(const RunStatus& run, const TrainingHistory& history, std::optional<std::uint64_t> saved,
                     system_clock::time_point now) {
  const auto attempts = attempts_of_submission(run);
  RunReport report;
  if (attempts.empty()) return report;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    report.attempts.push_back(report_attempt(attempts[i], std::span(attempts).subspan(i + 1), history));
  report.failures = static_cast<int>(std::ranges::count_if(attempts, has_failed));
  report.lost_steps = sum_lost_steps(report.attempts, history);
  report.detected_after = median_of(report.attempts, &AttemptReport::detected_after);
  report.stepped_again_after = median_of(report.attempts, &AttemptReport::stepped_again_after);
  report.trained = time_of_counted_steps(attempts, history, kept_step(run, saved));
  report.wall_clock = wall_clock_of(run, end_of(run, attempts, history, now));
  return report;
}

}  // namespace ddp::cli
