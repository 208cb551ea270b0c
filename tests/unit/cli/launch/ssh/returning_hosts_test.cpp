#include "cli/launch/ssh/returning_hosts.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/support/fake_clock.hpp"

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

/// What the hosts are, and what they were asked.
struct World {
  std::atomic<bool> answers = true;
  std::atomic<bool> agent_lives = false;
  std::atomic<bool> breaks_off = false;  ///< behind an order to start an agent
  std::atomic<int> connections = 0;
  std::atomic<int> starts = 0;
  std::atomic<int> asked_for_pid = 0;
};

class FakeHost final : public RemoteHost {
 public:
  explicit FakeHost(World& world) : world_(world) {}
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request& request) override {
    if (const auto* signal = std::get_if<remote::SendSignal>(&request)) {
      EXPECT_EQ(signal->signal, 0);
      world_.asked_for_pid = signal->process.pid;
      return remote::ProcessSeen{world_.agent_lives};
    }
    const auto& start = std::get<remote::StartNode>(request);
    EXPECT_EQ(start.node_rank, 2);
    ++world_.starts;
    if (world_.breaks_off) return fail(ExitCode::outcome_unknown, "c: the connection broke");
    return remote::NodeStarted{{"boot", 1000 + world_.starts, 7}};
  }
  [[nodiscard]] Expected<remote::Answer> ask_with(const remote::Request&, const Content&) override {
    return remote::Done{};
  }

 private:
  World& world_;
  remote::Greeting greeting_;
};

class FakeConnector final : public HostConnector {
 public:
  explicit FakeConnector(World& world) : world_(world) {}
  [[nodiscard]] Expected<std::unique_ptr<RemoteHost>> connect(const SshTarget& target,
                                                              const RemoteAgent&) override {
    EXPECT_EQ(target.host, "c");
    ++world_.connections;
    if (!world_.answers) return fail(ExitCode::preflight_failed, "c: no ssh connection");
    return std::make_unique<FakeHost>(world_);
  }

 private:
  World& world_;
};

NodeAgentOrder order(const std::string& host, int node_rank, std::optional<remote::ProcessName> agent) {
  SshTarget target;
  target.host = host;
  return {target, {"/runs/x", node_rank, 0, {"10.0.0.1:7", "nonce"}, {}}, std::move(agent)};
}

/// Nodes b (1) and c (2) of a run whose head is on a.
class ReturningHostsTest : public testing::Test {
 protected:
  void begin(std::optional<remote::ProcessName> agent) {
    hosts_.emplace(connector_, RemoteAgent{"agent", {}},
                   std::vector{order("b", 1, remote::ProcessName{"boot", 5, 5}), order("c", 2, agent)},
                   clock_);
  }

  std::vector<std::string> look(const std::vector<std::string>& taking_part) {
    return hosts_->look(taking_part);
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
  FakeConnector connector_{world_};
  FakeClock clock_;
  std::optional<ReturningHosts> hosts_;
};

using Names = std::vector<std::string>;

TEST_F(ReturningHostsTest, HostsThatTakePartAreLeftAlone) {
  begin(std::nullopt);
  for (int i = 0; i < 5; ++i) {
    clock_.sleep(60s);
    EXPECT_EQ(look({"a", "b", "c"}), Names{});
  }
  EXPECT_EQ(world_.connections, 0);
}

TEST_F(ReturningHostsTest, AShortAbsenceIsWaitedFor) {
  begin(std::nullopt);
  clock_.sleep(14s);
  EXPECT_EQ(look({"a", "b"}), Names{});
  EXPECT_EQ(look({"a", "b", "c"}), Names{});
  clock_.sleep(14s);
  EXPECT_EQ(look({"a", "b"}), Names{});
  EXPECT_EQ(world_.connections, 0);
}

TEST_F(ReturningHostsTest, TheAgentOfAHostThatAnswersAgainIsStarted) {
  world_.answers = false;
  begin(remote::ProcessName{"boot", 6, 6});
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.starts, 0);
  world_.answers = true;
  EXPECT_EQ(look_later(), Names{"c"});
  EXPECT_EQ(world_.asked_for_pid, 6);
  EXPECT_EQ(world_.starts, 1);
  world_.agent_lives = true;
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.asked_for_pid, 1001);
  EXPECT_EQ(world_.starts, 1);
}

TEST_F(ReturningHostsTest, AnAgentThatLivesIsEnough) {
  world_.agent_lives = true;
  begin(remote::ProcessName{"boot", 6, 6});
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.starts, 0);
}

TEST_F(ReturningHostsTest, AHostThatWasAwayFromTheBeginningHasNone) {
  begin(std::nullopt);
  EXPECT_EQ(look_later(), Names{"c"});
  EXPECT_EQ(world_.asked_for_pid, 0);
}

TEST_F(ReturningHostsTest, NoSecondOneWhereNobodyKnowsWhetherTheFirstWasStarted) {
  world_.breaks_off = true;
  begin(std::nullopt);
  EXPECT_EQ(look_later(), Names{});
  EXPECT_EQ(world_.starts, 1);
  for (int i = 0; i < 5; ++i) {
    clock_.sleep(60s);
    EXPECT_EQ(look({"a", "b"}), Names{});
  }
  EXPECT_EQ(world_.connections, 1);
}

}  // namespace
}  // namespace ddp::cli
