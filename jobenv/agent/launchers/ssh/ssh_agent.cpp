#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/ssh/host_fleet.hpp"

namespace ddp::agent {
namespace {

std::unique_ptr<Fleet> make_host_fleet(FleetOrder order) {
  return std::make_unique<HostFleet>(order.loop, order.settings.plan, std::move(order.on_event),
                                     std::move(order.announce));
}

}  // namespace

extern const AgentLauncher ssh_agent_launcher;
const AgentLauncher ssh_agent_launcher{.name = "ssh", .make_fleet = make_host_fleet};

}  // namespace ddp::agent
