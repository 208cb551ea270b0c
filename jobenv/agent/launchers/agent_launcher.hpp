#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/rank_layout.hpp"

namespace ddp {
struct LaunchPlan;
namespace remote {
struct HeadAddress;
}
}  // namespace ddp

namespace ddp::agent {

class EventLoop;
class Fleet;
class JobInquiry;
struct FleetOrder;
struct JobIds;
struct SchedulerJob;

/// Where head runs, and for what.
struct HeadPlace {
  const EnvMap& environment;
  const LaunchPlan& plan;
  const std::string& host;                     ///< head's own name
  const std::optional<std::string>& resolved;  ///< the first node, as the batch script has resolved it
};

/// How ddpsubmit talks to `ddp-agent remote`.
struct RemoteArguments {
  std::string marker;  ///< that answers begin with
  std::string folder;  ///< the host's own, for programs and runs; empty: none is wanted
};

/// What ddp-agent has to know of a launcher beyond its traits, which the plan carries: a row of the table.
/// What is null does not apply to it.
struct AgentLauncher {
  std::string_view name;
  /// How head reaches its agents. Nothing is started yet.
  std::unique_ptr<Fleet> (*make_fleet)(FleetOrder order);
  /// What the scheduler calls the host that `environment` is of; empty: the name is the host's own.
  std::string (*host_name)(const EnvMap& environment) = nullptr;
  /// What ranks are told of the job that `environment` is of.
  JobIds (*read_job_ids)(const EnvMap& environment) = nullptr;
  /// Of a job that holds several points of a sweep: the one that `environment` is of.
  Expected<int> (*find_point)(const EnvMap& environment) = nullptr;
  /// Where the launcher starts an agent for each rank, as `ddp-agent task`: the rank that `environment` is
  /// of.
  Expected<RankPlace> (*find_rank)(const EnvMap& environment) = nullptr;
  /// Fills in the job that head runs in as far as it is known, also where it is refused.
  Expected<void> (*find_job)(const HeadPlace& place, SchedulerJob& job) = nullptr;
  /// Of a plan that wants a link to the log of rank 0: its name, in the job that `environment` is of.
  std::string (*name_output_link)(const LaunchPlan& plan, const EnvMap& environment) = nullptr;
  /// Who answers questions about that job. All must outlive it.
  std::unique_ptr<JobInquiry> (*make_inquiry)(EventLoop& loop, const EnvMap& environment,
                                              const LaunchPlan& plan, const SchedulerJob& job) = nullptr;
  /// Where ddpsubmit starts head and agents itself: answers what it asks of a host, over stdin and stdout,
  /// and returns the exit code.
  int (*serve_host)(const RemoteArguments& arguments, const EnvMap& environment) = nullptr;
};

/// The table of the launchers.
[[nodiscard]] std::span<const AgentLauncher* const> all_agent_launchers();

/// The one that the plan names.
[[nodiscard]] Expected<const AgentLauncher*> find_agent_launcher(const LaunchPlan& plan);

/// The name of node `node_rank`, where `environment` is from: that of the scheduler, or of the plan; either
/// may differ from the system's.
[[nodiscard]] std::string resolve_host_name(const LaunchPlan& plan, const EnvMap& environment,
                                            int node_rank = 0);

}  // namespace ddp::agent
