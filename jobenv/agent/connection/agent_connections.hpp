#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/connection/head_server.hpp"
#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/plan/waits.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// Head's side of the agents in other processes: a TCP connection each. One without a word for the lease is
/// lost.
class AgentConnections {
 public:
  using OnEvent = std::function<void(const RunEvent& event)>;
  AgentConnections(EventLoop& loop, const Waits& waits, OnEvent on_event)
      : loop_(loop), waits_(waits), on_event_(std::move(on_event)) {}
  AgentConnections(const AgentConnections&) = delete;
  AgentConnections& operator=(const AgentConnections&) = delete;
  ~AgentConnections() { loop_.cancel(pulse_); }

  /// Listens, with a new nonce that agents have to know. Once more after end(): what is left of the old
  /// agents is forgotten, and new ones may come.
  [[nodiscard]] Expected<void> open(Reach reach);

  /// What an agent finds this head by.
  [[nodiscard]] remote::HeadAddress address() const;
  /// Adds it to `env`.
  void write_address(EnvMap& env, const std::string& run_dir) const;

  void send(AgentId agent, const HeadMessage& message);
  /// Takes what has come of each agent, before the loop says so.
  void hear_out();
  /// Lets all agents go, also those that are still to come. Of what they say from now on only records are
  /// passed on.
  void end();

  /// Those who come from now on join with the next introduce_again().
  void hold_back() { holds_back_ = true; }
  /// Gives each agent that is there a new number, under which it joins once more.
  void introduce_again();
  [[nodiscard]] bool empty() const { return agents_.empty(); }

  /// How many connections were closed since open() because they did not say who they are.
  [[nodiscard]] std::uint64_t turned_away() const { return server_ ? server_->turned_away() : 0; }

  /// How many ranks have had an agent at some time since open().
  [[nodiscard]] std::size_t ranks_seen() const { return ranks_seen_.size(); }

 private:
  struct Agent {
    Hello hello;
    std::unique_ptr<ControlConnection> connection;
  };

  void welcome(const Hello& hello, std::unique_ptr<ControlConnection> connection);
  void join(Agent agent);
  void lose_predecessor_of(const Hello& hello);
  [[nodiscard]] static std::vector<int> ranks_of(const Hello& hello);
  void on_line(AgentId agent, std::string_view line);
  /// `silence`: since it was last heard, or since its connection has ended.
  void lose(AgentId agent, const std::string& why,
            std::chrono::steady_clock::duration silence = std::chrono::steady_clock::duration::zero());
  void check_pulse();
  void lose_if_silent(AgentId agent);
  [[nodiscard]] std::vector<AgentId> ids() const;

  EventLoop& loop_;
  Waits waits_;
  OnEvent on_event_;
  std::string nonce_;
  std::unique_ptr<HeadServer> server_;
  std::map<AgentId, Agent> agents_;
  std::map<std::vector<int>, AgentId> holder_of_;  ///< these ranks: the agent that came last
  AgentId next_agent_ = 0;
  std::set<int> ranks_seen_;
  EventLoop::TimerId pulse_ = 0;
  bool ended_ = false;
  bool holds_back_ = false;
};

}  // namespace ddp::agent
