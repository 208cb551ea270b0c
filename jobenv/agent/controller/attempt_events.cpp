#include "jobenv/agent/controller/attempt_events.hpp"

#include "ddp/jobenv/host_list.hpp"

namespace ddp::agent {
namespace {

double in_seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

event::RankExited describe_rank_exit(const ExitRecord& exit) {
  return {.rank = exit.rank,
          .host = exit.host,
          .code = exit.code,
          .signal = exit.signal,
          .ended_by = std::string(name_of(exit.ended_by)),
          .killed = exit.killed,
          .last_step = exit.last_step,
          .phase = exit.phase.text()};
}

std::string describe_missing_steps(const LaunchPlan& plan) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(plan.waits.idle).count();
  return "no rank has reported a step for " + std::to_string(minutes) +
         " min; the job is requeued at its time limit (fault_tolerance.requeue), but a program that does not "
         "save and resume starts over each time; see docs/python.md";
}

event::RankStalled describe_stalled_rank(const StalledRank& rank) {
  const RankStalled& report = rank.report;
  return {.rank = report.rank,
          .host = rank.host,
          .phase = report.phase.text(),
          .last_step = report.last_step,
          .silent_seconds = in_seconds(report.silent),
          .longest_seconds = in_seconds(report.longest),
          .process = std::string(name_of(report.process)),
          .waits_for_peers = report.waits_for_peers};
}

event::NodesMissing describe_missing_nodes(const std::vector<std::string>& hosts, int nodes,
                                           const LaunchPlan& plan) {
  std::string message = HostList(hosts).compress() + " unreachable; continuing on " + std::to_string(nodes) +
                        " of " + std::to_string(plan.nodes) + " hosts";
  if (plan.program == ProgramKind::trainer) message += " with the same global batch size";
  return {.hosts = hosts, .nodes = nodes, .message = std::move(message)};
}

/// The tail stands in `restarting` or `run_ended`, which follow.
event::AttemptEnded describe_attempt_end(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  const RunEnd end = conclude(outcome, plan);
  event::AttemptEnded ended{.outcome = std::string(name_of(end.state)),
                            .message = end.message,
                            .last_step = last_step_of(outcome),
                            .unhandled_signal = end.unhandled_signal};
  if (end.cause) ended.cause.emplace(cause_of(*end.cause)).stderr_tail.clear();
  return ended;
}

event::Restarting describe_restart(const AttemptOutcome& failure, const LaunchPlan& plan, int next_attempt,
                                   std::optional<std::uint64_t> checkpoint) {
  event::Restarting restart{.next_attempt = next_attempt,
                            .message = conclude(failure, plan).message,
                            .cause = cause_of(*failure.cause),
                            .resumes_from = checkpoint};
  const auto last_step = last_step_of(failure);
  if (last_step && plan.program == ProgramKind::trainer)
    restart.lost_steps = count_lost_steps(last_step, checkpoint.value_or(0));
  return restart;
}

std::uint64_t count_lost_steps(std::optional<std::uint64_t> last, std::uint64_t resumes_after) {
  return last ? *last - std::min(*last, resumes_after) : 0;
}

}  // namespace ddp::agent
