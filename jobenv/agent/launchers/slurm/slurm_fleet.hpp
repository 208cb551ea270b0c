#pragma once

#include "jobenv/agent/connection/agent_connections.hpp"
#include "jobenv/agent/launchers/fleet.hpp"
#include "jobenv/agent/launchers/slurm/job_output.hpp"
#include "jobenv/agent/launchers/slurm/step_query.hpp"
#include "jobenv/agent/process/child_program.hpp"

namespace ddp::agent {

/// One agent a rank, started by one srun. Another srun follows only when the step of the one before is gone:
/// Slurm ends a step when none of its processes is left.
class SlurmFleet final : public Fleet {
 public:
  SlurmFleet(EventLoop& loop, FleetSettings settings, OnEvent on_event);
  SlurmFleet(const SlurmFleet&) = delete;
  SlurmFleet& operator=(const SlurmFleet&) = delete;
  ~SlurmFleet() override;

  [[nodiscard]] Expected<void> launch() override;
  void relaunch() override;
  void send(AgentId agent, const HeadMessage& message) override { connections_.send(agent, message); }
  void hear_out() override { connections_.hear_out(); }
  [[nodiscard]] std::uint64_t turned_away() const override { return connections_.turned_away(); }
  void dismiss(std::function<void()> done) override;

 private:
  void on_srun_exit(int status);
  void let_go();
  void insist(int signal);
  void await_end_of_step();
  void launch_again();
  [[nodiscard]] ChildProgram make_srun() const;

  EventLoop& loop_;
  FleetSettings settings_;
  OnEvent on_event_;
  AgentConnections connections_;
  pid_t srun_ = -1;
  std::optional<JobOutput> output_;  ///< what srun and its tasks print goes there
  EventLoop::TimerId patience_ = 0;  ///< with srun, or until squeue is asked again
  std::unique_ptr<StepQuery> step_query_;
  std::chrono::milliseconds query_pause_{0};
  bool relaunching_ = false;
  std::function<void()> dismissed_;
};

}  // namespace ddp::agent
