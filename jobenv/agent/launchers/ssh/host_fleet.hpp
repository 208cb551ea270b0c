#pragma once

#include "jobenv/agent/connection/agent_connections.hpp"
#include "jobenv/agent/launchers/fleet.hpp"
#include "jobenv/record/run_folder.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// The agents on ssh hosts, one each. Whoever has started head starts them, too; head tells where it is, and
/// takes those that come: also one that was killed and is there again, or one whose host was cut off for a
/// while. An agent that introduces itself holds no ranks. Where hosts have run folders of their own, what
/// they record is written into head's.
class HostFleet final : public Fleet {
 public:
  using Announce = std::function<void(const remote::HeadAddress& address)>;
  HostFleet(EventLoop& loop, const LaunchPlan& plan, OnEvent on_event, Announce announce);
  HostFleet(const HostFleet&) = delete;
  HostFleet& operator=(const HostFleet&) = delete;
  ~HostFleet() override { loop_.cancel(patience_); }

  [[nodiscard]] Expected<void> launch() override;
  void relaunch() override;
  void send(AgentId agent, const HeadMessage& message) override { connections_.send(agent, message); }
  void hear_out() override { connections_.hear_out(); }
  [[nodiscard]] std::uint64_t turned_away() const override { return connections_.turned_away(); }
  void dismiss(std::function<void()> done) override;

 private:
  void on_event(const RunEvent& event);
  void take_piece(AgentId agent, const FilePiece& piece);
  void await_departure();

  EventLoop& loop_;
  RunFolder folder_;
  bool shared_folder_;
  Reach reach_;
  OnEvent on_event_;
  Announce announce_;
  AgentConnections connections_;
  EventLoop::TimerId patience_ = 0;
  std::chrono::steady_clock::time_point dismissed_at_;
  std::function<void()> dismissed_;
};

}  // namespace ddp::agent
