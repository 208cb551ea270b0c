#include "jobenv/agent/fleet/make_fleet.hpp"

#include <utility>

#include "jobenv/agent/fleet/host_fleet.hpp"
#include "jobenv/agent/fleet/local_fleet.hpp"
#include "jobenv/agent/fleet/shell_fleet.hpp"
#include "jobenv/agent/fleet/slurm_fleet.hpp"

namespace ddp::agent {
namespace {

NodeAgentSettings settings_of_only_agent(const FleetSettings& settings) {
  return {settings.plan, settings.environment, settings.host, layout_of(settings.plan).places_on(0),
          settings.descriptor_limit};
}

}  // namespace

std::unique_ptr<Fleet> make_fleet(EventLoop& loop, FleetSettings settings, Fleet::OnEvent on_event,
                                  std::function<void(const remote::HeadAddress& address)> announce) {
  const LaunchPlan& plan = settings.plan;
  if (plan.launcher == "local" && plan.setup.empty())
    return std::make_unique<LocalFleet>(loop, settings_of_only_agent(settings), std::move(on_event));
  if (plan.launcher == "ssh")
    return std::make_unique<HostFleet>(loop, plan, std::move(on_event), std::move(announce));
  if (plan.launcher == "local")
    return std::make_unique<ShellFleet>(loop, std::move(settings), std::move(on_event));
  return std::make_unique<SlurmFleet>(loop, std::move(settings), std::move(on_event));
}

}  // namespace ddp::agent
