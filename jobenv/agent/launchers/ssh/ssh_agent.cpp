#include <filesystem>
#include <iostream>

#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/ssh/host_fleet.hpp"
#include "jobenv/agent/launchers/ssh/service/remote_service.hpp"

namespace ddp::agent {
namespace {

std::unique_ptr<Fleet> make_host_fleet(FleetOrder order) {
  return std::make_unique<HostFleet>(order.loop, order.settings.plan, std::move(order.on_event),
                                     std::move(order.announce));
}

/// As /proc knows it, whatever the name was that it was started under.
std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

int serve_ssh_host(const RemoteArguments& arguments, const EnvMap& environment) {
  const auto service = OwnFolder::open(arguments.folder).map([&](OwnFolder folder) {
    return RemoteService(environment, own_program(), std::move(folder), std::cin);
  });
  return serve_remote(service, arguments.marker, std::cin);
}

}  // namespace

extern const AgentLauncher ssh_agent_launcher;
const AgentLauncher ssh_agent_launcher{
    .name = "ssh", .make_fleet = make_host_fleet, .serve_host = serve_ssh_host};

}  // namespace ddp::agent
