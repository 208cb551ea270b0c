#pragma once

#include "jobenv/agent/launchers/fleet.hpp"
#include "jobenv/agent/node/node_agent.hpp"

namespace ddp::agent {

/// One agent, in head's own process.
class LocalFleet final : public Fleet {
 public:
  LocalFleet(EventLoop& loop, NodeAgentSettings settings, OnEvent on_event);

  [[nodiscard]] Expected<void> launch() override;
  void relaunch() override;
  void send(AgentId, const HeadMessage& message) override { agent_.handle(message); }
  void dismiss(std::function<void()> done) override { done(); }

 private:
  OnEvent on_event_;
  NodeAgent agent_;
};

}  // namespace ddp::agent
