#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/child_program.hpp"
#include "jobenv/agent/fleet.hpp"
#include "jobenv/agent/head_server.hpp"
#include "jobenv/record/launch_plan.hpp"

namespace ddp::agent {

struct SlurmFleetSettings {
  LaunchPlan plan;
  EnvMap environment;                      ///< head's own
  std::string nonce;                       ///< of the control connections
  std::optional<rlimit> descriptor_limit;  ///< RLIMIT_NOFILE for srun and so for the tasks; nullopt: head's
};

/// One agent a rank, started by one srun, each on a TCP connection. An agent without a word for 30 s is lost.
class SlurmFleet final : public Fleet {
 public:
  SlurmFleet(EventLoop& loop, SlurmFleetSettings settings, OnEvent on_event);
  SlurmFleet(const SlurmFleet&) = delete;
  SlurmFleet& operator=(const SlurmFleet&) = delete;
  ~SlurmFleet() override;

  [[nodiscard]] Expected<void> launch() override;
  void send(AgentId agent, const HeadMessage& message) override;
  void dismiss(std::function<void()> done) override;

 private:
  void welcome(const Hello& hello, std::unique_ptr<ControlConnection> connection);
  void on_line(AgentId agent, std::string_view line);
  void lose(AgentId agent, const std::string& why);
  void check_pulse();
  void on_srun_exit(int status);
  void insist(int signal);
  [[nodiscard]] ChildProgram make_srun() const;

  EventLoop& loop_;
  SlurmFleetSettings settings_;
  OnEvent on_event_;
  std::unique_ptr<HeadServer> server_;
  std::map<AgentId, std::unique_ptr<ControlConnection>> connections_;
  AgentId next_agent_ = 0;
  std::set<int> ranks_seen_;  ///< that had an agent at some time
  pid_t srun_ = -1;
  EventLoop::TimerId pulse_ = 0;
  EventLoop::TimerId patience_ = 0;
  std::function<void()> dismissed_;
};

}  // namespace ddp::agent
