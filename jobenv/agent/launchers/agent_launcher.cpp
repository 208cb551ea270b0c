#include "jobenv/agent/launchers/agent_launcher.hpp"

#include <algorithm>

#include "ddp/jobenv/host_name.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

Expected<const AgentLauncher*> find_agent_launcher(const LaunchPlan& plan) {
  const auto launchers = all_agent_launchers();
  const auto found = std::ranges::find(launchers, plan.launcher, &AgentLauncher::name);
  if (found != launchers.end()) return *found;
  return fail(ExitCode::config_invalid, "this ddp-agent has no launcher '" + plan.launcher + "'",
              "use the ddp-agent of the ddpsubmit that has written the plan");
}

std::string resolve_host_name(const LaunchPlan& plan, const EnvMap& environment, int node_rank) {
  const auto launcher = find_agent_launcher(plan);
  const bool asks = launcher && (*launcher)->host_name != nullptr;
  if (auto name = asks ? (*launcher)->host_name(environment) : std::string(); !name.empty()) return name;
  return plan.hosts.empty() ? host_name() : plan.hosts.at(static_cast<std::size_t>(node_rank));
}

}  // namespace ddp::agent
