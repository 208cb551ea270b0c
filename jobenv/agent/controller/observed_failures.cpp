#include "jobenv/agent/controller/observed_failures.hpp"

#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::agent {
namespace {

/// The host to name when it is the only one; no single host otherwise.
std::string only_one_of(const std::vector<std::string>& hosts) {
  return hosts.size() == 1 ? hosts.front() : "";
}

std::string describe_turned_away(std::uint64_t connections) {
  if (connections == 0) return {};
  return "; head refused " + std::to_string(connections) +
         (connections == 1 ? " connection that did not identify itself"
                           : " connections that did not identify themselves");
}

/// What had not come about when the launcher ended.
std::string render_unreached(const RollCall& roll_call) {
  if (roll_call.complete()) return "the ranks had started";
  if (roll_call.agents().empty()) return "any agent had connected";
  return "the agents of all ranks had connected (" + roll_call.render_missing() + ")";
}

}  // namespace

Failure make_absence_failure(const RollCall& roll_call, std::uint64_t turned_away) {
  return {roll_call.render_missing() + describe_turned_away(turned_away),
          Phrase::statement,
          only_one_of(roll_call.missing_hosts()),
          std::nullopt,
          {},
          Recurrence::possible};
}

Failure make_launcher_failure(const LauncherEnded& event, const RollCall& roll_call, Recurrence recurrence) {
  return {event.what + " before " + render_unreached(roll_call),
          Phrase::statement,
          "",
          std::nullopt,
          event.output_tail,
          recurrence};
}

Failure make_loss_failure(const AgentLost& event, const std::string& host, const LaunchPlan& plan) {
  const bool may_be_abort = plan.process_manager == ProcessManagerKind::launcher;
  return {.what = "lost the agent on " + host + ": " + event.why +
                  (may_be_abort ? " (" + plan.traits.scheduler + " ends the agents if a rank calls MPI_Abort)"
                                : ""),
          .host = host,
          .rank = std::nullopt,
          .since = event.last_word,
          .agent_lost = true};
}

Failure make_late_failure(const AgentStates& agents, std::chrono::seconds patience) {
  return {agents.render_late_rank() + " was still running " + std::to_string(patience.count()) +
              " s after the first rank was done",
          Phrase::statement,
          "",
          std::nullopt,
          {},
          Recurrence::possible};
}

std::string render_early_ends(const AgentStates& agents, const LaunchPlan& plan) {
  std::vector<int> ended;
  for (const auto& [rank, record] : agents.records()) {
    if (record.succeeded()) ended.push_back(rank);
  }
  if (plan.program == ProgramKind::trainer || ended.empty()) return {};
  const auto step = ended.size() == 1 ? agents.records().at(ended.front()).last_step : std::nullopt;
  return (ended.size() == 1 ? "rank " : "ranks ") + render_index_list(ended) + " had ended with exit code 0" +
         (step ? " after step " + std::to_string(*step) : "");
}

}  // namespace ddp::agent
