#pragma once

#include "jobenv/agent/agent_connections.hpp"
#include "jobenv/agent/child_program.hpp"
#include "jobenv/agent/fleet.hpp"

namespace ddp::agent {

/// One agent a rank, started by one srun.
class SlurmFleet final : public Fleet {
 public:
  SlurmFleet(EventLoop& loop, FleetSettings settings, OnEvent on_event);
  SlurmFleet(const SlurmFleet&) = delete;
  SlurmFleet& operator=(const SlurmFleet&) = delete;
  ~SlurmFleet() override;

  [[nodiscard]] Expected<void> launch() override;
  void send(AgentId agent, const HeadMessage& message) override { connections_.send(agent, message); }
  void dismiss(std::function<void()> done) override;

 private:
  void on_srun_exit(int status);
  void insist(int signal);
  [[nodiscard]] ChildProgram make_srun() const;

  EventLoop& loop_;
  FleetSettings settings_;
  OnEvent on_event_;
  AgentConnections connections_;
  pid_t srun_ = -1;
  EventLoop::TimerId patience_ = 0;
  std::function<void()> dismissed_;
};

}  // namespace ddp::agent
