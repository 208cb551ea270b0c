#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "jobenv/agent/controller/agent_states.hpp"
#include "jobenv/agent/controller/roll_call.hpp"
#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

/// The causes of a failure that no rank reports: what head sees of agents, and of what starts them.
namespace ddp::agent {

/// Agents have not come in time. `turned_away`: the connections that head has closed meanwhile.
[[nodiscard]] Failure make_absence_failure(const RollCall& roll_call, std::uint64_t turned_away);

/// What starts the agents has ended before the ranks had started.
[[nodiscard]] Failure make_launcher_failure(const LauncherEnded& event, const RollCall& roll_call,
                                            Recurrence recurrence);

/// The agent on `host` is lost.
[[nodiscard]] Failure make_loss_failure(const AgentLost& event, const std::string& host,
                                        const LaunchPlan& plan);

/// "rank 3 on node2 still ran 600 s after the first rank was done": not all ranks have ended within
/// `patience` of the first.
[[nodiscard]] Failure make_late_failure(const AgentStates& agents, std::chrono::seconds patience);

/// "rank 1 had ended with exit code 0 after step 12": to go behind the cause of a command's failure, whose
/// ranks may leave each other alone. Empty for a trainer, and where no rank has ended so.
[[nodiscard]] std::string render_early_ends(const AgentStates& agents, const LaunchPlan& plan);

}  // namespace ddp::agent
