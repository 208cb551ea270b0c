#include "jobenv/agent/connection/agent_connections.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

/// Agents of nodes with a rank each that are plain sockets.
class AgentConnectionsTest : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    open(Waits{});
  }
  void open(const Waits& waits) {
    connections_.emplace(*loop_, waits, [this](const RunEvent& event) {
      if (const auto* joined = std::get_if<AgentJoined>(&event)) joined_.push_back(joined->hello.host);
      if (std::holds_alternative<AgentSaid>(event)) ++said_;
      if (const auto* lost = std::get_if<AgentLost>(&event)) lost_.push_back(lost->why);
    });
    ASSERT_TRUE(connections_->open(Reach::this_host));
  }
  FileDescriptor come(int node) {
    const auto address = SocketAddress::parse(std::string_view(connections_->address().endpoints));
    FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(socket.get(), address->data(), address->size()), 0);
    const Hello hello{"node" + std::to_string(node), "", {{node, 0, node}}};
    const std::string text =
        connections_->address().nonce + "\n" + render_message(AgentMessage{hello}) + "\n";
    EXPECT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    return socket;
  }
  template <class Predicate>
  bool run_until(Predicate holds) {
    return run_loop_until(*loop_, holds);
  }
  bool is_welcome(const FileDescriptor& socket) {
    return run_until([&] {
      char byte = 0;
      return recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 1;
    });
  }

  std::unique_ptr<EventLoop> loop_;
  std::optional<AgentConnections> connections_;
  std::vector<std::string> joined_;
  int said_ = 0;
  std::vector<std::string> lost_;
};

/// Of a head that a file system, or its work, holds up for longer than the lease.
Waits short_waits() {
  Waits waits;
  waits.pulse = waits.lease = std::chrono::milliseconds(50);
  return waits;
}

void stay_busy_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

void say(const FileDescriptor& agent, const AgentMessage& message) {
  const std::string line = render_message(message) + "\n";
  EXPECT_EQ(send(agent.get(), line.data(), line.size(), MSG_NOSIGNAL), static_cast<ssize_t>(line.size()));
}

using Names = std::vector<std::string>;

TEST_F(AgentConnectionsTest, WhoComesBetweenTwoAttemptsJoinsOnce) {
  const auto first = come(0);
  ASSERT_TRUE(run_until([this] { return joined_ == Names{"node0"}; }));
  connections_->hold_back();
  const auto second = come(1);
  ASSERT_TRUE(is_welcome(second));
  EXPECT_EQ(joined_, Names{"node0"}) << "not yet";
  connections_->introduce_again();
  EXPECT_EQ(joined_, (Names{"node0", "node0", "node1"}));
  const auto third = come(2);
  ASSERT_TRUE(run_until([this] { return joined_.back() == "node2"; }));
  EXPECT_TRUE(lost_.empty());
}

TEST_F(AgentConnectionsTest, AnAgentThatSaysSomethingMalformedIsLostAndThePlaceIsTold) {
  const auto agent = come(0);
  ASSERT_TRUE(run_until([this] { return joined_.size() == 1; }));
  const std::string_view line = "{\"schema\":\"store_bound\",\"port\":\"4000\"}\n";
  ASSERT_EQ(send(agent.get(), line.data(), line.size(), MSG_NOSIGNAL), static_cast<ssize_t>(line.size()));
  ASSERT_TRUE(run_until([this] { return !lost_.empty(); }));
  EXPECT_EQ(lost_, Names{"control message 'store_bound': field 'port' is not a whole number"});
}

TEST_F(AgentConnectionsTest, WhoComesBackTakesItsOldPlace) {
  const auto before = come(0);
  ASSERT_TRUE(run_until([this] { return joined_.size() == 1; }));
  const auto again = come(0);
  ASSERT_TRUE(run_until([this] { return joined_.size() == 2; }));
  EXPECT_EQ(lost_, Names{"its agent has connected again"});
}

TEST_F(AgentConnectionsTest, AnAgentIsNotSilentWhoseWordsABusyHeadHasNotRead) {
  open(short_waits());
  const auto agent = come(0);
  ASSERT_TRUE(run_until([this] { return joined_.size() == 1; }));
  // The pulse is due by then, and comes before the loop reads again.
  const FileDescriptor work(eventfd(1, EFD_CLOEXEC));
  EventLoop::WatchId watch = 0;
  watch = loop_
              ->watch(work.get(), EPOLLIN,
                      [&](std::uint32_t) {
                        loop_->forget(watch);
                        say(agent, RankStarted{0, 1});
                        stay_busy_for(2 * short_waits().lease);
                        loop_->after(std::chrono::milliseconds(0), [this] { loop_->quit(); });
                      })
              .value();
  loop_->run();
  EXPECT_EQ(said_, 1);
  EXPECT_TRUE(lost_.empty());
  ASSERT_TRUE(run_until([this] { return !lost_.empty(); }));
  EXPECT_EQ(lost_, Names{"nothing heard for 0 s"});
}

TEST_F(AgentConnectionsTest, WhatHasComeIsThereWhenItIsAskedFor) {
  const auto agent = come(0);
  ASSERT_TRUE(run_until([this] { return joined_.size() == 1; }));
  say(agent, RankStarted{0, 1});
  connections_->hear_out();
  EXPECT_EQ(said_, 1);
}

}  // namespace
}  // namespace ddp::agent
