#include "cli/store/report/time_spent.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

/// Not below zero: the times are by the clocks of several hosts.
milliseconds between(system_clock::time_point begin, system_clock::time_point end) {
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(end - begin));
}

/// Between the heads of one submission. Who restarts within a job does not wait.
milliseconds time_between_heads(const RunStatus& run) {
  milliseconds waited{0};
  for (std::size_t i = 1; i < run.attempts.size(); ++i) {
    const auto& before = run.attempts[i - 1];
    const auto& next = run.attempts[i];
    const bool of_this_submission = before.started && *before.started >= *run.started;
    if (of_this_submission && !next.restarted && before.ended && next.started)
      waited += between(*before.ended, *next.started);
  }
  return waited;
}

bool is_requeued(const RunStatus& run) {
  return run.state == RunState::queued && !run.attempts.empty() && run.attempts.back().ended;
}

/// Of a run without an end, and without a sign that it goes on, nobody knows how long it ran.
bool is_known(const RunStatus& run) {
  return run.ended || run.state == RunState::running || run.state == RunState::restarting || is_requeued(run);
}

}  // namespace

TimeSpent time_spent_by(const RunStatus& run, system_clock::time_point now) {
  const auto end = run.ended.value_or(now);
  TimeSpent spent;
  if (!run.started) {
    if (run.submitted && (run.ended || run.state == RunState::queued))
      spent.waited = between(*run.submitted, end);
    return spent;
  }
  auto again = time_between_heads(run);
  if (is_requeued(run)) again += between(*run.attempts.back().ended, now);
  if (run.submitted) spent.waited = between(*run.submitted, *run.started) + again;
  if (is_known(run)) spent.ran = std::max(milliseconds(0), between(*run.started, end) - again);
  return spent;
}

}  // namespace ddp::cli
