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
  const auto hello = agent_.hello();
  if (!hello) return tl::unexpected(hello.error());
  on_event_(AgentJoined{kOnlyAgent, *hello, {}});
  return {};
}

/// The agent has no processes of its own: it only has to introduce itself again.
void LocalFleet::relaunch() {
  if (const auto launched = launch(); !launched) on_event_(LauncherEnded{launched.error().message});
}

}  // namespace ddp::agent
