#include "cli/launchers/ssh/returning_hosts.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/fake_clock.hpp"

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

/// What the hosts are, and what they were asked.
struct World {
  std::atomic<bool> answers = true;
  std::atomic<bool> agent_lives = false;
  std::atomic<int> connections = 0;
  std::atomic<int> starts = 0;
};

class ReturningHost final : public RemoteHost {
 public:
  explicit ReturningHost(World& world) : world_(world) {}
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request& request) override {
    EXPECT_EQ(std::get<remote::StartNode>(request).node_rank, 2);
    if (world_.agent_lives) return fail(ExitCode::run_failed, "c: the agent of node 2 is still running");
    ++world_.starts;
    return remote::NodeStarted{{"boot", 1000, 7}};
  }
  [[nodiscard]] Expected<remote::Answer> ask_with(const remote::Request&, const Content&) override {
    return remote::Done{};
  }
  [[nodiscard]] Expected<std::string> ask_for_bytes(const remote::SendFile&) override {
    return std::string();
  }

 private:
  World& world_;
  remote::Greeting greeting_;
};

class ReturningHostConnector final : public HostConnector {
 public:
  explicit ReturningHostConnector(World& world) : world_(world) {}
  [[nodiscard]] Expected<std::unique_ptr<RemoteHost>> connect(const SshTarget& target,
                                                              const RemoteAgent&) override {
    EXPECT_EQ(target.host, "c");
    ++world_.connections;
    if (!world_.answers) return fail(ExitCode::preflight_failed, "c: no ssh connection");
    return std::make_unique<ReturningHost>(world_);
  }

 private:
  World& world_;
};

NodeAgentOrder order(const std::string& host, int node_rank) {
  SshTarget target;
  target.host = host;
  return {target, {"/runs/x", node_rank, 0, {"10.0.0.1:7", "nonce"}, {}}};
}

/// Nodes b (1) and c (2) of a run whose head is on a.
class ReturningHostsTest : public testing::Test {
 protected:
  std::vector<std::string> look(const std::vector<std::string>& taking_part) {
    return hosts_.look(taking_part);
  }
  /// Looks once more after a pause, which begins one search; what it has found, as far as it finds something.
  std::vector<std::string> look_later() {
    const int before = world_.connections;
    clock_.sleep(15s);
    int looks_left = 200;  // when the host has been reached
    while (looks_left > 0) {
      if (auto found = look({"a", "b"}); !found.empty()) return found;
      if (world_.connections > before) --looks_left;
      std::this_thread::sleep_for(1ms);
    }
    return {};
  }

  World world_;
  ReturningHostConnector connector_{world_};
  FakeClock clock_;
  ReturningHosts hosts_{connector_, RemoteAgent{"agent", {}}, {order("b", 1), order("c", 2)}, 15s, clock_};
};

using Names = std::vector<std::string>;

TEST_F(ReturningHostsTest, HostsThatTakePartAreLeftAlone) {
  for (int i = 0; i < 5; ++i) {
    clock_.sleep(60s);
    EXPECT_EQ(look({"a", "b", "c"}), Names{});
  }
  EXPECT_EQ(world_.connections, 0);
}

TEST_F(ReturningHostsTest, AShortAbsenceIsWaitedFor) {
  clock_.sleep(14s);
  EXPECT_EQ(look({"a", "b"}), Names{});
  EXPECT_EQ(look({"a", "b", "c"}), Names{});
  clock_.sleep(14s);
  EXPECT_EQ(look({"a", "b"}), Names{});
  EXPECT_EQ(world_.connections, 0);
}

TEST_F(ReturningHostsTest, TheAgentOfAHostThatAnswersAgainIsStarted) {
  world_.answers = false;
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.starts, 0);
  world_.answers = true;
  EXPECT_EQ(look_later(), Names{"c"});
  EXPECT_EQ(world_.starts, 1);
}

TEST_F(ReturningHostsTest, AnAgentThatLivesIsEnough) {
  world_.agent_lives = true;
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.starts, 0);
}

TEST_F(ReturningHostsTest, AnAgentThatLeavesAgainIsNewsOnceAnAbsence) {
  EXPECT_EQ(look_later(), Names{"c"});
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.starts, 2);
  EXPECT_EQ(look({"a", "b", "c"}), Names{});
  EXPECT_EQ(look_later(), Names{"c"});
}

}  // namespace
}  // namespace ddp::cli
