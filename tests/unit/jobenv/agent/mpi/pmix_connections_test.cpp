#include "jobenv/agent/mpi/pmix_connections.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "jobenv/agent/connection/socket_address.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

/// A server with one client, a process that connects and waits for its end.
class PmixConnectionsOfRanks : public testing::Test {
 protected:
  PmixConnectionsOfRanks()
      : loop_(EventLoop::create({}, [](int) {}).value()), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    const auto any_port = SocketAddress::parse("127.0.0.1", 0).value();
    EXPECT_EQ(bind(listener_.get(), any_port.data(), any_port.size()), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
  }
  ~PmixConnectionsOfRanks() override { kill_client(); }

  void begin_client() {
    const auto server = SocketAddress::local_end(listener_.get()).value();
    client_ = fork();
    if (client_ == 0) {
      const int connection = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(connection, server.data(), server.size()) != 0) _exit(1);
      while (true) pause();
    }
    connection_ = FileDescriptor(accept(listener_.get(), nullptr, nullptr));
  }
  void kill_client() {
    if (client_ <= 0) return;
    kill(client_, SIGKILL);
    waitpid(client_, nullptr, 0);
    client_ = -1;
  }
  EnvMap environment(const std::string& scheme = "tcp4") const {
    const auto server = SocketAddress::local_end(listener_.get()).value();
    return EnvMap().set("PMIX_SERVER_URI2", "slurm.pmix.7.0;" + scheme + "://" + server.endpoint());
  }
  bool is_closed() const {
    char byte = 0;
    return recv(connection_.get(), &byte, 1, MSG_DONTWAIT) == 0;
  }

  std::unique_ptr<EventLoop> loop_;
  FileDescriptor listener_;
  FileDescriptor connection_;  ///< of the server
  pid_t client_ = -1;
};

TEST_F(PmixConnectionsOfRanks, OutliveTheRank) {
  begin_client();
  std::optional<PmixConnections> connections(std::in_place, *loop_, environment());
  connections->watch(client_);
  ASSERT_TRUE(run_loop_until(*loop_, [&] { return connections->size() == 1; }));
  kill_client();
  EXPECT_FALSE(is_closed());
  connections.reset();
  EXPECT_TRUE(is_closed());
}

TEST_F(PmixConnectionsOfRanks, OthersAreLeftAlone) {
  begin_client();
  PmixConnections connections(*loop_, EnvMap().set("PMIX_SERVER_URI2", "slurm.pmix.7.0;tcp4://127.0.0.1:1"));
  connections.watch(client_);
  bool later = false;
  loop_->after(std::chrono::milliseconds(50), [&] { later = true; });
  ASSERT_TRUE(run_loop_until(*loop_, [&] { return later; }));
  EXPECT_EQ(connections.size(), 0U);
  kill_client();
  EXPECT_TRUE(is_closed());
}

TEST_F(PmixConnectionsOfRanks, ARankThatHasEndedIsForgotten) {
  begin_client();
  PmixConnections connections(*loop_, environment());
  connections.watch(client_);
  connections.forget(client_);
  bool later = false;
  loop_->after(std::chrono::milliseconds(50), [&] { later = true; });
  ASSERT_TRUE(run_loop_until(*loop_, [&] { return later; }));
  EXPECT_EQ(connections.size(), 0U);
}

}  // namespace
}  // namespace ddp::agent
