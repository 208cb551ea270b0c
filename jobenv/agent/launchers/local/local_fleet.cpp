#include "jobenv/agent/launchers/local/local_fleet.hpp"

namespace ddp::agent {
namespace {

constexpr AgentId kOnlyAgent = 0;

}  // namespace

LocalFleet::LocalFleet(EventLoop& loop, NodeAgentSettings settings, OnEvent on_event)
    : on_event_(std::move(on_event)), agent_(loop, std::move(settings), [this](const AgentMessage& message) {
        on_event_(AgentSaid{kOnlyAgent, message});
      }) {}

Expected<void> LocalFleet::launch() {
  on_event_(AgentJoined{kOnlyAgent, agent_.hello(), {}});
  return {};
}

/// The agent has no processes of its own: it only has to introduce itself again.
void LocalFleet::relaunch() {
  (void)launch();
}

}  // namespace ddp::agent
