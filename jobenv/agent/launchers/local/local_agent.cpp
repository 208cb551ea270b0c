#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/local/local_fleet.hpp"
#include "jobenv/agent/launchers/local/shell_fleet.hpp"

namespace ddp::agent {
namespace {

NodeAgentSettings settings_of_only_agent(const FleetSettings& settings) {
  return {.plan = settings.plan,
          .environment = settings.environment,
          .host = settings.host,
          .ranks = layout_of(settings.plan).places_on(0),
          .descriptor_limit = settings.descriptor_limit,
          .input = settings.input};
}

/// Without set-up lines the agent is a part of head.
std::unique_ptr<Fleet> make_fleet_here(FleetOrder order) {
  if (order.settings.plan.setup.empty())
    return std::make_unique<LocalFleet>(order.loop, settings_of_only_agent(order.settings),
                                        std::move(order.on_event));
  return std::make_unique<ShellFleet>(order.loop, std::move(order.settings), std::move(order.on_event));
}

}  // namespace

extern const AgentLauncher local_agent_launcher;
const AgentLauncher local_agent_launcher{.name = "local", .make_fleet = make_fleet_here};

}  // namespace ddp::agent
