#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// Who ends a run at its time limit.
enum class TimeLimitBy { head, scheduler };

/// Where the set-up lines of a run are run.
enum class SetupPlace {
  batch_script,   ///< once, before head starts
  before_agents,  ///< by a shell that becomes the agent: an agent that has joined has done them
  in_agents,      ///< by every agent, once all have joined
};

/// How a stop of the whole run reaches it.
enum class StopReaches {
  head,      ///< by a signal
  everyone,  ///< by a signal to head, agents and ranks, in any order
  record,    ///< by a signal to head, or only by the cancel in the ledger: who cancels may not reach its host
};

/// Who starts the agents.
enum class AgentsStartedBy { head, submitter };

/// What a launcher can do. ddpsubmit decides it, the launch plan carries it, and ddp-agent obeys it.
struct LauncherTraits {
  std::string scheduler = {};        ///< whose queue the job is in, as people call it; empty: none
  std::string requeue_command = {};  ///< with which people requeue a job, for messages; empty: none
  TimeLimitBy time_limit = TimeLimitBy::head;
  SetupPlace setup = SetupPlace::before_agents;
  StopReaches stop = StopReaches::head;
  AgentsStartedBy agents_started_by = AgentsStartedBy::head;
  bool agents_return = false;  ///< an agent that has lost head looks for it again, and may have a successor
  bool sees_end_of_agents = true;  ///< head learns when what has started an agent has ended
  bool names_hosts = false;        ///< the plan has the hosts; otherwise they are known when the job starts

  bool operator==(const LauncherTraits&) const = default;
};

[[nodiscard]] std::string_view name_of(TimeLimitBy value);
[[nodiscard]] std::string_view name_of(SetupPlace value);
[[nodiscard]] std::string_view name_of(StopReaches value);
[[nodiscard]] std::string_view name_of(AgentsStartedBy value);

[[nodiscard]] nlohmann::json to_json(const LauncherTraits& traits);
/// Strict, as launch plans are.
[[nodiscard]] Expected<LauncherTraits> parse_launcher_traits(const nlohmann::json& json);

}  // namespace ddp
