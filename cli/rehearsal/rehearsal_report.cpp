#include "cli/rehearsal/rehearsal_report.hpp"

#include <algorithm>

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;
using Seconds = std::chrono::duration<double>;

milliseconds between(system_clock::time_point begin, system_clock::time_point end) {
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(end - begin));
}

template <class T>
std::optional<std::int64_t> to_step(const std::optional<T>& step) {
  return step ? std::optional(static_cast<std::int64_t>(*step)) : std::nullopt;
}

}  // namespace

std::optional<FailureCosts> RehearsalReport::costs() const {
  if (!checkpoint) return std::nullopt;
  const auto restart =
      kill.detected_after.value_or(milliseconds(0)) + kill.stepped_again_after.value_or(milliseconds(0));
  return FailureCosts{
      .stall = checkpoint->stall, .write = checkpoint->write, .restart = restart, .mtbf = mtbf};
}

StopReport report_stop(const RunStatus& run, const TrainingHistory& history, const Strike& strike,
                       system_clock::time_point resubmitted) {
  StopReport report{.signal = {}, .seen_step = strike.seen_step};
  const auto& stopped = run.attempts.front();
  report.last_step = to_step(stopped.last_step);
  if (stopped.ended) report.stopped_after = between(strike.time, *stopped.ended);
  const auto* again = find_first_step(stopped.number + 1, history);
  if (!again) return report;
  report.stepped_again_after = between(resubmitted, again->time);
  if (report.last_step) report.lost_steps = std::max<std::int64_t>(0, *report.last_step - (again->step - 1));
  return report;
}

KillReport report_kill(const RunReport& report, int rank, const Strike& strike) {
  const auto& attempt = report.attempts.front();
  return {.rank = rank,
          .seen_step = strike.seen_step,
          .last_step = attempt.cause ? to_step(attempt.cause->last_step) : std::nullopt,
          .lost_steps = to_step(attempt.lost_steps),
          .detected_after = attempt.detected_after,
          .stepped_again_after = attempt.stepped_again_after};
}

std::optional<Seconds> time_of_step(const TrainingHistory& history) {
  const auto training = history.find(0);
  if (training == history.end() || training->second.steps.empty()) return std::nullopt;
  const auto& first = training->second.steps.front();
  const auto& last = training->second.steps.back();
  if (last.step > first.step)
    return (last.trained - first.trained) / static_cast<double>(last.step - first.step);
  return first.trained / static_cast<double>(first.step);
}

std::optional<Seconds> recommend_interval(const RehearsalReport& report) {
  const auto costs = report.costs();
  if (!costs) return std::nullopt;
  return std::max({daly_interval(*costs), report.checkpoint->write, report.step});
}

std::string render_interval_key(Seconds interval) {
  const auto whole = std::max(std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(interval));
  return "train.checkpoint.every: " + render_duration(whole);
}

}  // namespace ddp::cli
