#include "cli/report/model/phases.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

using std::chrono::system_clock;
using Moment = std::optional<system_clock::time_point>;

class PhaseList {
 public:
  void add(RunPhaseKind kind, int attempt, Moment begin, Moment end) {
    if (begin && end && *begin < *end) phases_.push_back({kind, attempt, *begin, *end});
  }
  [[nodiscard]] std::vector<RunPhase> take() { return std::move(phases_); }

 private:
  std::vector<RunPhase> phases_;
};

/// An attempt that was lost with its head has no end: the next one begins behind it.
Moment end_of_attempt(const RunStatus& run, std::size_t index, system_clock::time_point now) {
  const auto& attempt = run.attempts[index];
  if (attempt.ended) return attempt.ended;
  if (index + 1 < run.attempts.size()) return run.attempts[index + 1].started;
  return is_final(run.state) ? run.ended : Moment(now);
}

/// In front of attempt `index`: a restart, or a queue since the end of the attempt before or the submission.
void add_wait(const RunStatus& run, std::size_t index, PhaseList& phases) {
  const auto& attempt = run.attempts[index];
  Moment since = index == 0 ? Moment() : run.attempts[index - 1].ended;
  const bool is_newest_submission = run.submitted && attempt.started && *run.submitted <= *attempt.started;
  if (is_newest_submission && (!since || *since < *run.submitted)) since = run.submitted;
  phases.add(attempt.restarted ? RunPhaseKind::restarting : RunPhaseKind::queued, attempt.number, since,
             attempt.started);
}

/// Nothing had ended: a rank, or all of them, made no progress any more. A lost host is no hang.
bool is_hang(const AttemptStatus& attempt) {
  const auto& cause = attempt.cause;
  return cause && cause->since && !cause->code && !cause->signal && (cause->rank || cause->host.empty());
}

void add_attempt(const AttemptStatus& attempt, Moment end, const FirstSteps& first_steps, PhaseList& phases) {
  const auto first = first_steps.find(attempt.number);
  const Moment stepped = first == first_steps.end() ? Moment() : Moment(first->second);
  Moment failed = attempt.cause ? attempt.cause->since : Moment();
  if (!failed) failed = attempt.kill_ordered;
  Moment stops = failed && end ? std::min(*failed, *end) : end;
  if (stops && attempt.started) stops = std::max(*stops, *attempt.started);  // by another clock
  const Moment runs = stepped && stops ? std::min(*stepped, *stops) : stepped;
  phases.add(RunPhaseKind::starting, attempt.number, attempt.started, runs);
  const Moment begins = runs ? runs : attempt.started;
  phases.add(RunPhaseKind::running, attempt.number, begins, stops);
  const Moment killed = attempt.kill_ordered && end ? std::min(*attempt.kill_ordered, *end) : end;
  if (is_hang(attempt)) {
    phases.add(RunPhaseKind::hanging, attempt.number, stops, killed);
    stops = stops && killed ? std::max(*stops, *killed) : stops;
  }
  phases.add(RunPhaseKind::stopping, attempt.number, stops, end);
}

}  // namespace

std::string_view name_of(RunPhaseKind kind) {
  switch (kind) {
    case RunPhaseKind::queued:
      return "queued";
    case RunPhaseKind::restarting:
      return "restarting";
    case RunPhaseKind::starting:
      return "starting";
    case RunPhaseKind::running:
      return "running";
    case RunPhaseKind::hanging:
      return "hanging";
    case RunPhaseKind::stopping:
      return "stopping";
  }
  return "";
}

std::vector<RunPhase> phases_of(const RunStatus& run, const FirstSteps& first_steps,
                                system_clock::time_point now) {
  PhaseList phases;
  for (std::size_t index = 0; index < run.attempts.size(); ++index) {
    add_wait(run, index, phases);
    add_attempt(run.attempts[index], end_of_attempt(run, index, now), first_steps, phases);
  }
  if (run.state == RunState::queued) {
    const auto since = run.attempts.empty() ? run.submitted : run.attempts.back().ended;
    const int next = run.attempts.empty() ? 0 : run.attempts.back().number + 1;
    phases.add(RunPhaseKind::queued, next, since, now);
  }
  return phases.take();
}

}  // namespace ddp::cli
