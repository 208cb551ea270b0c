#pragma once

#include "jobenv/agent/connection/agent_connections.hpp"
#include "jobenv/agent/launchers/fleet.hpp"
#include "jobenv/agent/process/guarded_processes.hpp"

namespace ddp::agent {

/// One agent with all ranks of this host, started by a shell that runs the lines of LaunchPlan::setup first,
/// so that whatever they change (variables, limits, umask, CPU affinity) holds for the ranks. The shell is
/// under a guard: nothing that it starts outlives the run.
class ShellFleet final : public Fleet {
 public:
  ShellFleet(EventLoop& loop, FleetSettings settings, OnEvent on_event);
  ShellFleet(const ShellFleet&) = delete;
  ShellFleet& operator=(const ShellFleet&) = delete;
  ~ShellFleet() override { loop_.cancel(patience_); }

  [[nodiscard]] Expected<void> launch() override;
  void relaunch() override;
  void send(AgentId agent, const HeadMessage& message) override { connections_.send(agent, message); }
  void hear_out() override { connections_.hear_out(); }
  [[nodiscard]] std::uint64_t turned_away() const override { return connections_.turned_away(); }
  void dismiss(std::function<void()> done) override;

 private:
  [[nodiscard]] GuardedProcess make_shell() const;
  void on_report(const GuardReport& report);
  [[nodiscard]] std::string describe_end(int status) const;
  void on_gone();
  void launch_again();

  EventLoop& loop_;
  FleetSettings settings_;
  OnEvent on_event_;
  AgentConnections connections_;
  GuardedProcess shell_;
  GuardedProcesses processes_;
  std::string end_;                  ///< how the shell, or the agent that it became, ended
  EventLoop::TimerId patience_ = 0;  ///< with what is to end
  bool relaunching_ = false;
  std::function<void()> dismissed_;
};

}  // namespace ddp::agent
