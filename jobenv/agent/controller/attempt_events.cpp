#include "jobenv/agent/controller/attempt_events.hpp"

#include "ddp/jobenv/host_list.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;

json number_or_null(std::optional<std::uint64_t> number) {
  return number ? json(*number) : json();
}

/// The tail stands in `restarting` or `run_ended`, which follow.
json to_json_without_tail(const Cause& cause) {
  json fields = to_json(cause);
  fields.erase("stderr_tail");
  return fields;
}

double in_seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

json describe_rank_exit(const ExitRecord& exit) {
  json fields = {{"rank", exit.rank},
                 {"host", exit.host},
                 {"ended_by", name_of(exit.ended_by)},
                 {"last_step", number_or_null(exit.last_step)},
                 {"phase", name_of(exit.phase)}};
  if (exit.code) fields["code"] = *exit.code;
  if (exit.signal) fields["signal"] = *exit.signal;
  return fields;
}

json describe_stalled_rank(const StalledRank& rank) {
  const RankStalled& report = rank.report;
  return {{"rank", report.rank},
          {"host", rank.host},
          {"phase", ddp::name_of(report.phase)},
          {"last_step", number_or_null(report.last_step)},
          {"silent_seconds", in_seconds(report.silent)},
          {"longest_seconds", in_seconds(report.longest)},
          {"process", name_of(report.process)},
          {"waits_for_peers", report.waits_for_peers}};
}

json describe_missing_nodes(const std::vector<std::string>& hosts, int nodes, const LaunchPlan& plan) {
  std::string message = HostList(hosts).compress() + " stays away: going on with " + std::to_string(nodes) +
                        " of " + std::to_string(plan.nodes) + " hosts";
  if (plan.program == ProgramKind::trainer) message += ", and the same batch of a step";
  return {{"hosts", hosts}, {"nodes", nodes}, {"message", message}};
}

json describe_attempt_end(const AttemptOutcome& outcome, const LaunchPlan& plan) {
  const RunEnd end = conclude(outcome, plan);
  return {{"outcome", name_of(end.state)},
          {"message", end.message},
          {"last_step", number_or_null(last_step_of(outcome))},
          {"cause", end.cause ? to_json_without_tail(*end.cause) : json()}};
}

json describe_restart(const AttemptOutcome& failure, const LaunchPlan& plan, int next_attempt,
                      std::optional<std::uint64_t> checkpoint) {
  json fields = {{"next_attempt", next_attempt},
                 {"message", conclude(failure, plan).message},
                 {"cause", to_json(*failure.cause)},
                 {"resumes_from", number_or_null(checkpoint)},
                 {"lost_steps", nullptr}};
  const auto last_step = last_step_of(failure);
  if (last_step && plan.program == ProgramKind::trainer)
    fields["lost_steps"] = count_lost_steps(last_step, checkpoint.value_or(0));
  return fields;
}

std::uint64_t count_lost_steps(std::optional<std::uint64_t> last, std::uint64_t resumes_after) {
  return last ? *last - std::min(*last, resumes_after) : 0;
}

}  // namespace ddp::agent
