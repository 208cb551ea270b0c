#include "jobenv/agent/head/lost_attempt.hpp"

#include <algorithm>
#include <sstream>

#include "jobenv/agent/controller/attempt_events.hpp"
#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::agent {
namespace {

bool has_end(int attempt, const std::vector<LedgerEvent>& events) {
  return std::ranges::any_of(events, [attempt](const LedgerEvent& event) {
    const auto ended = as<event::AttemptEnded>(event);
    return ended && ended->attempt == attempt;
  });
}

std::optional<std::uint64_t> last_step_in_exits(const RunFolder& folder, int attempt) {
  std::optional<std::uint64_t> last;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.exits(attempt), error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto record = load_exit_record(entry->path())) last = std::max(last, record->last_step);
  }
  return last;
}

/// Of the lines at the end of metrics.jsonl; the first and the last one may be cut.
std::optional<std::uint64_t> last_step_in_metrics(const RunFolder& folder, int attempt) {
  std::optional<std::uint64_t> last;
  std::istringstream lines(load_log_tail(folder.metrics()));
  for (std::string line; std::getline(lines, line);) {
    const auto record = parse_metrics_record(line);
    if (record && record->attempt == attempt && record->step >= 0)
      last = std::max(last, std::optional(static_cast<std::uint64_t>(record->step)));
  }
  return last;
}

}  // namespace

std::optional<event::AttemptEnded> describe_lost_attempt(const RunFolder& folder, int attempt,
                                                         const std::vector<LedgerEvent>& events,
                                                         std::optional<std::uint64_t> resumes_after) {
  if (attempt < 0 || has_end(attempt, events)) return std::nullopt;
  const auto last = std::max(last_step_in_exits(folder, attempt), last_step_in_metrics(folder, attempt));
  return event::AttemptEnded{
      .attempt = attempt,
      .outcome = event::kLost,
      .message =
          "head did not record the end of this attempt: head was killed, or its node failed or lost its "
          "network",
      .last_step = last,
      .lost_steps = resumes_after ? event::Step(count_lost_steps(last, *resumes_after)) : std::nullopt};
}

}  // namespace ddp::agent
