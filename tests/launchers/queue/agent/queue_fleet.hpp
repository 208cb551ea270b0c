#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobenv/agent/connection/agent_connections.hpp"
#include "jobenv/agent/launchers/fleet.hpp"

namespace ddp::agent {

/// The hosts of the job that `environment` is of, by node rank.
[[nodiscard]] std::vector<std::string> hosts_of_queue(const EnvMap& environment);

/// An agent for each 'host' of the queue, started by head itself.
class QueueFleet final : public Fleet {
 public:
  explicit QueueFleet(FleetOrder order);
  QueueFleet(const QueueFleet&) = delete;
  QueueFleet& operator=(const QueueFleet&) = delete;
  ~QueueFleet() override;

  [[nodiscard]] Expected<void> launch() override;
  void relaunch() override;
  void send(AgentId agent, const HeadMessage& message) override { connections_.send(agent, message); }
  [[nodiscard]] std::uint64_t turned_away() const override { return connections_.turned_away(); }
  void dismiss(std::function<void()> done) override;

 private:
  [[nodiscard]] Expected<void> start_agent(int node_rank, const std::string& host);
  void on_exit(pid_t agent, int status);
  void let_go();
  void launch_again();

  EventLoop& loop_;
  FleetSettings settings_;
  OnEvent on_event_;
  AgentConnections connections_;
  std::map<pid_t, std::string> agents_;  ///< their hosts
  EventLoop::TimerId patience_ = 0;
  bool relaunching_ = false;
  std::function<void()> dismissed_;
};

}  // namespace ddp::agent
