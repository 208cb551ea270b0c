#include "jobenv/agent/controller/run_verdict.hpp"

#include <algorithm>
#include <csignal>

#include "ddp/jobenv/rank_contract.hpp"

namespace ddp::agent {
namespace {

int world_size(const LaunchPlan& plan) {
  return plan.nodes * plan.tasks_per_node;
}

/// How many ranks of `outcome` fit, not counting the one to blame.
template <class Predicate>
int count_others(const AttemptOutcome& outcome, Predicate fits) {
  const int blamed = outcome.cause && outcome.cause->rank ? outcome.cause->rank->rank : -1;
  return static_cast<int>(std::ranges::count_if(
      outcome.records, [&](const auto& entry) { return entry.first != blamed && fits(entry.second); }));
}

bool was_killed(const ExitRecord& record) {
  return record.ended_by == EndedBy::agent && record.signal == SIGKILL;
}

bool was_stopped(const ExitRecord& record) {
  return record.ended_by == EndedBy::agent;
}

/// The stop signal that the file names, where all ranks died of it. What a program behind a shell did is not
/// known.
std::string find_unhandled_signal(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  if (!outcome.stop || !plan.stop_signal || plan.stop_signal_for != StopSignalFor::all_ranks) return {};
  const auto signal = parse_signal(*plan.stop_signal);
  const auto died_of_it = [&](const auto& entry) {
    return signal && entry.second.signal == *signal && !entry.second.outlived;
  };
  const bool all_died = static_cast<int>(outcome.records.size()) == world_size(plan) &&
                        std::ranges::all_of(outcome.records, died_of_it);
  return all_died ? *plan.stop_signal : "";
}

std::string render_ranks(int count) {
  return std::to_string(count) + (count == 1 ? " rank" : " ranks");
}

/// " at step 120", where some rank has come that far.
std::string render_step(const AttemptOutcome& outcome) {
  const auto step = last_step_of(outcome);
  return step ? " at step " + std::to_string(*step) : "";
}

RunState state_after(StopReason reason) {
  switch (reason) {
    case StopReason::time_limit:
      return RunState::timed_out;
    case StopReason::preempted:
      return RunState::preempted;
    case StopReason::node_failed:
      return RunState::failed;
    case StopReason::requeued:
    case StopReason::taken_back:
      return RunState::requeued;
    case StopReason::cancel:
    case StopReason::interrupt:
    case StopReason::detached_submitter:
      break;
  }
  return RunState::cancelled;
}

int exit_code_after(const StopWanted& stop) {
  if (state_after(stop.reason) != RunState::cancelled) return 1;
  const bool terminated = stop.reason == StopReason::interrupt && stop.signal == SIGTERM;
  return static_cast<int>(terminated ? ExitCode::terminated : ExitCode::interrupted);
}

/// A scheduler sends TERM when somebody cancels the job without ddpsubmit.
std::string render_interrupt(int signal, const LauncherTraits& traits) {
  if (signal == 0) return "interrupted";
  if (signal == SIGTERM && !traits.scheduler.empty())
    return "cancelled outside ddpsubmit (" + traits.scheduler + " sent SIGTERM)";
  return "interrupted by SIG" + signal_name(signal);
}

std::string render_reason(const StopWanted& stop, const LaunchPlan& plan) {
  switch (stop.reason) {
    case StopReason::cancel:
      return "cancelled";
    case StopReason::interrupt:
      return render_interrupt(stop.signal, plan.traits);
    case StopReason::time_limit:
      return "the time limit was reached";
    case StopReason::preempted:
      return "preempted by the scheduler";
    case StopReason::requeued:
      return render_outside_requeue(plan.traits);
    case StopReason::node_failed:
      return "a node of the job failed";
    case StopReason::taken_back:
      return "requeued by the scheduler";
    case StopReason::detached_submitter:
      break;
  }
  return "the ddpsubmit process that the run was attached to has ended";
}

std::string render_stop(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  std::string text = render_reason(*outcome.stop, plan);
  if (outcome.records.empty()) return text + " before the ranks had started";
  const auto left_on_request = [](const ExitRecord& record) {
    return record.code == kExitStopped && record.phase != Phase::evaluate;
  };
  const int killed_count = count_others(outcome, was_killed);
  if (count_others(outcome, left_on_request) == world_size(plan)) {
    text += plan.program == ProgramKind::trainer ? "; all ranks stopped after a checkpoint"
                                                 : "; all ranks stopped on request";
    text += render_step(outcome);
  } else {
    text += "; the ranks were stopped" + render_step(outcome);
  }
  if (killed_count > 0) text += "; " + render_ranks(killed_count) + " had to be killed";
  if (const auto signal = find_unhandled_signal(outcome, plan); !signal.empty())
    text += "; they died of " + signal + ": the program has no handler for it and saved nothing at the stop";
  return outcome.cause ? text + "; " + render_cause(*outcome.cause, plan.program) : text;
}

std::string render_success(const AttemptOutcome& outcome) {
  return render_ranks(static_cast<int>(outcome.records.size())) + " finished" + render_step(outcome);
}

/// When all that is known is that a peer was lost: the only rank that did not leave by itself, if there is
/// just one.
const ExitRecord* find_silent_rank(const AttemptOutcome& outcome) {
  if (!outcome.cause->rank || outcome.cause->rank->code != kExitPeerLost) return nullptr;
  if (count_others(outcome, was_stopped) != 1) return nullptr;
  const auto silent =
      std::ranges::find_if(outcome.records, [](const auto& entry) { return was_stopped(entry.second); });
  return &silent->second;
}

std::string render_failure(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  if (const ExitRecord* silent = find_silent_rank(outcome); plan.program == ProgramKind::trainer && silent) {
    return render_cause(*outcome.cause, plan.program) + "; rank " + std::to_string(silent->rank) + " on " +
           silent->host + " did not respond and was killed";
  }
  const auto failed = [&plan](const ExitRecord& record) {
    return judge_rank(record, "", plan) == RankVerdict::failure;
  };
  return render_cause(*outcome.cause, plan.program) +
         render_others(*outcome.cause, {.count = world_size(plan) - (outcome.cause->rank ? 1 : 0),
                                        .failed = count_others(outcome, failed),
                                        .stopped = count_others(outcome, was_stopped)});
}

RunEnd make_end(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  switch (kind_of(outcome, plan)) {
    case OutcomeKind::succeeded:
      return {RunState::succeeded, 0, render_success(outcome), std::nullopt};
    case OutcomeKind::stopped:
      return {state_after(outcome.stop->reason), exit_code_after(*outcome.stop), render_stop(outcome, plan),
              outcome.cause};
    case OutcomeKind::failed:
      break;
  }
  return {RunState::failed, 1, render_failure(outcome, plan), outcome.cause};
}

}  // namespace

std::optional<std::uint64_t> last_step_of(const AttemptOutcome& outcome) {
  std::optional<std::uint64_t> step;
  for (const auto& [rank, record] : outcome.records) step = std::max(step, record.last_step);
  return step;
}

void add_last_words(AttemptOutcome& outcome) {
  if (!outcome.cause || !outcome.cause->rank) return;
  ExitRecord& named = *outcome.cause->rank;
  const auto ended = outcome.records.find(named.rank);
  if (named.code || named.signal || ended == outcome.records.end()) return;
  named.stderr_tail = ended->second.stderr_tail;
}

OutcomeKind kind_of(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  // Who tells its phase says so itself when it was done before the stop reached it; of a program that tells
  // nothing, 0 after a stop says nothing.
  const auto succeeded = [](const auto& entry) {
    return entry.second.succeeded() && entry.second.phase == Phase::done;
  };
  const bool done = static_cast<int>(outcome.records.size()) == world_size(plan) &&
                    std::ranges::all_of(outcome.records, succeeded);
  if (outcome.stop) return done ? OutcomeKind::succeeded : OutcomeKind::stopped;
  return outcome.cause ? OutcomeKind::failed : OutcomeKind::succeeded;
}

RunEnd conclude(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  RunEnd end = make_end(outcome, plan);
  for (const auto& [rank, record] : outcome.records) {
    end.last_step = std::max(end.last_step, record.last_step);
    end.checkpoint_milliseconds = std::max(end.checkpoint_milliseconds, record.checkpoint_milliseconds);
  }
  end.killed = count_others(outcome, was_killed);
  if (outcome.stop) end.stop_signal = outcome.stop->signal;
  end.unhandled_signal = find_unhandled_signal(outcome, plan);
  for (const std::string& host : outcome.unconfirmed) {
    end.message += "; " + host + " did not confirm that all processes of the run have ended there";
  }
  return end;
}

std::string render_outside_requeue(const LauncherTraits& traits) {
  const auto& command = traits.requeue_command;
  return "requeued outside ddpsubmit" + (command.empty() ? "" : " (" + command + ")");
}

}  // namespace ddp::agent
