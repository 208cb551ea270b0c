#include "cli/launchers/ssh/connection/host_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "tests/support/fake_clock.hpp"

namespace ddp::cli {
namespace {

class PooledHost final : public RemoteHost {
 public:
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request&) override {
    return remote::ProcessSeen{true};
  }
  [[nodiscard]] Expected<remote::Answer> ask_with(const remote::Request&, const Content&) override {
    return remote::Done{};
  }
  [[nodiscard]] Expected<std::string> ask_for_bytes(const remote::SendFile&) override {
    return std::string();
  }

 private:
  remote::Greeting greeting_;
};

class PooledHostConnector final : public HostConnector {
 public:
  [[nodiscard]] Expected<std::unique_ptr<RemoteHost>> connect(const SshTarget& target,
                                                              const RemoteAgent&) override {
    ++connections;
    if (target.host == "bad") return fail(ExitCode::authentication, "bad: no");
    return std::make_unique<PooledHost>();
  }
  std::atomic<int> connections = 0;
};

SshTarget target(const std::string& host) {
  SshTarget target;
  target.host = host;
  return target;
}

TEST(HostPool, OneConnectionAHost) {
  PooledHostConnector connector;
  FakeClock clock;
  HostPool pool(connector, clock);
  const auto first = pool.connect({target("a"), target("b")}, {"agent", {}});
  const auto again = pool.connect({target("b"), target("a")}, {"agent", {}});
  EXPECT_EQ(connector.connections, 2);
  EXPECT_EQ(*first[0], *again[1]);
  pool.forget({target("a"), {"agent", {}}});
  EXPECT_TRUE(pool.connect(RemotePlace{target("a"), {"agent", {}}}));
  EXPECT_EQ(connector.connections, 3);
}

TEST(HostPool, AHostThatIsWantedTwiceIsConnectedToOnce) {
  PooledHostConnector connector;
  FakeClock clock;
  HostPool pool(connector, clock);
  const auto hosts = pool.connect({target("a"), target("bad"), target("a"), target("bad")}, {"agent", {}});
  EXPECT_EQ(connector.connections, 2);
  EXPECT_EQ(*hosts[0], *hosts[2]);
  EXPECT_FALSE(hosts[1]);
  EXPECT_FALSE(hosts[3]);
}

TEST(HostPool, AHostThatDoesNotAnswerIsLeftAloneForAWhile) {
  PooledHostConnector connector;
  FakeClock clock;
  HostPool pool(connector, clock);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(pool.connect(RemotePlace{target("bad"), {"agent", {}}}));
  EXPECT_EQ(connector.connections, 1);
  clock.sleep(std::chrono::seconds(15));
  EXPECT_FALSE(pool.connect(RemotePlace{target("bad"), {"agent", {}}}));
  EXPECT_EQ(connector.connections, 2);
}

TEST(HostPool, ABadHostLeavesTheOthers) {
  PooledHostConnector connector;
  FakeClock clock;
  HostPool pool(connector, clock);
  const auto hosts = pool.connect({target("a"), target("bad"), target("c")}, {"agent", {}});
  EXPECT_TRUE(hosts[0]);
  ASSERT_FALSE(hosts[1]);
  EXPECT_EQ(hosts[1].error().code, ExitCode::authentication);
  EXPECT_TRUE(hosts[2]);
}

TEST(DoOnAll, EachIndexOnce) {
  std::mutex mutex;
  std::multiset<std::size_t> seen;
  do_on_all(1'000, [&](std::size_t index) {
    const std::lock_guard lock(mutex);
    seen.insert(index);
  });
  EXPECT_EQ(seen.size(), 1'000u);
  EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), 1'000u);
  do_on_all(0, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace ddp::cli
