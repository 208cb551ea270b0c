#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/protocol/agent_exit.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/unit/jobenv/agent/agent_process.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

/// Nonce and Hello: a connection that is closed with something unread is reset.
void read_introduction(const FileDescriptor& socket) {
  char byte = 0;
  for (int lines = 0; lines < 2 && recv(socket.get(), &byte, 1, 0) == 1;) lines += byte == '\n';
}

/// Listens where an agent looks for head, and does with each connection, which has introduced itself, what
/// the test says. Then it is closed.
class Impostor {
 public:
  using Serve = std::function<void(int number, const FileDescriptor& socket)>;
  explicit Impostor(Serve serve) : serve_(std::move(serve)) {
    const auto address = SocketAddress::parse("127.0.0.1", 0).value();
    EXPECT_EQ(bind(listening_.get(), address.data(), address.size()), 0);
    EXPECT_EQ(listen(listening_.get(), 16), 0);
    endpoint_ = SocketAddress::local_end(listening_.get())->endpoint();
    thread_ = std::thread([this] { accept_all(); });
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() {
    shutdown(listening_.get(), SHUT_RDWR);
    thread_.join();
  }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  void accept_all() {
    while (true) {
      const FileDescriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.is_open()) return;
      read_introduction(socket);
      serve_(++count_, socket);
    }
  }

  Serve serve_;
  FileDescriptor listening_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string endpoint_;
  std::atomic<int> count_ = 0;
  std::thread thread_;
};

/// `ddp-agent node`, which looks for head at the address of an impostor.
class LookingAgent : public testing::Test {
 protected:
  void start(const Impostor& impostor, std::chrono::seconds patience) {
    LaunchPlan plan = make_plan(run_.path(), 1, "true");
    plan.rendezvous_timeout = patience;
    run_.save(plan);
    const EnvMap env = EnvMap::capture().patched(
        EnvMap({{kHeadEndpoints, impostor.endpoint()}, {kHeadNonce, "n"}, {kHeadRunDir, run_.path()}}));
    agent_.emplace(std::vector<std::string>{"node", "--run-dir", run_.path(), "--node-rank", "0"}, env,
                   "exec 2>'" + run_.beside("said").string() + "'");
  }
  [[nodiscard]] std::string said() const { return read_file(run_.beside("said")); }

  RunFixture run_;
  std::optional<AgentProcess> agent_;
};

void send_text(const FileDescriptor& socket, const std::string& text) {
  EXPECT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

TEST_F(LookingAgent, TriesAgainUntilHeadHasRoom) {
  const Impostor head([](int number, const FileDescriptor& socket) {
    if (number <= 6) return;
    send_text(socket,
              render_message(HeadMessage{Welcome{}}) + "\n" + render_message(HeadMessage{End{}}) + "\n");
    char byte = 0;
    while (recv(socket.get(), &byte, 1, 0) > 0) continue;
  });
  start(head, std::chrono::seconds(300));
  EXPECT_EQ(agent_->wait(), 0) << said();
  EXPECT_EQ(head.count(), 7);
}

TEST_F(LookingAgent, GivesUpAfterTheTimeOfTheRendezvousAndSaysWhy) {
  const Impostor head([](int, const FileDescriptor&) {});
  start(head, std::chrono::seconds(1));
  EXPECT_EQ(agent_->wait(), kExitNoWelcome);
  EXPECT_GT(head.count(), 3);
  EXPECT_EQ(said(), "ddp-agent: head did not accept this agent within 1 s:\n  " + head.endpoint() +
                        ": the other side closed the connection\n");
}

TEST_F(LookingAgent, AStopEndsIt) {
  const Impostor head([](int, const FileDescriptor&) {});
  start(head, std::chrono::seconds(300));
  ASSERT_TRUE(eventually([&] { return head.count() > 1; }));
  agent_->send(SIGTERM);
  EXPECT_EQ(agent_->wait(), kExitNoWelcome);
}

TEST_F(LookingAgent, DoesNotWaitWhereNobodyListens) {
  std::string endpoint;
  std::optional<Impostor> head(std::in_place, [](int, const FileDescriptor&) {});
  endpoint = head->endpoint();
  LaunchPlan plan = make_plan(run_.path(), 1, "true");
  run_.save(plan);
  head.reset();
  const EnvMap env = EnvMap::capture().patched(
      EnvMap({{kHeadEndpoints, endpoint}, {kHeadNonce, "n"}, {kHeadRunDir, run_.path()}}));
  agent_.emplace(std::vector<std::string>{"node", "--run-dir", run_.path(), "--node-rank", "0"}, env);
  EXPECT_EQ(agent_->wait(), kExitHeadUnreached);
}

}  // namespace
}  // namespace ddp::agent
