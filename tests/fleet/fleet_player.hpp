#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/connection/control_connection.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Plays the agents of all nodes of a plan against a real head: many more than this machine could run. Their
/// connections and messages are those of the product; only the ranks are made up. When all ranks of attempt 0
/// have started, one of them is killed. The ranks of later attempts end with 0.
class FleetPlayer {
 public:
  /// `head` says where head is, as an agent's environment does.
  FleetPlayer(const LaunchPlan& plan, EnvMap head);

  /// All agents introduce themselves at about the same time, and stay until head lets them go.
  [[nodiscard]] Expected<void> play();

  /// Why connections have ended before head has let their agents go.
  [[nodiscard]] const std::vector<std::string>& losses() const { return losses_; }

 private:
  struct Agent {
    std::string host;
    std::vector<RankPlace> ranks;
    std::unique_ptr<ControlConnection> connection;
    std::vector<RankPlace> living;
  };

  void join(Agent& agent, FileDescriptor socket);
  void on_line(Agent& agent, std::string_view line);
  void start(Agent& agent, const StartAttempt& start);
  void on_all_started();
  void end_ranks(Agent& agent, std::optional<int> signal, EndedBy ended_by);
  void end_rank(Agent& agent, std::optional<int> signal, EndedBy ended_by);
  void leave(Agent& agent);
  static void say(Agent& agent, const AgentMessage& message);

  EnvMap head_;
  std::unique_ptr<EventLoop> loop_;
  std::vector<Agent> agents_;
  std::size_t started_ = 0;  ///< agents, in the attempt
  std::size_t left_ = 0;     ///< agents
  int attempt_ = 0;
  std::vector<std::string> losses_;
};

}  // namespace ddp::agent
