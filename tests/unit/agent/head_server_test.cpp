#include "jobenv/agent/head_server.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "jobenv/agent/control_protocol.hpp"
#include "jobenv/agent/head_address.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

const Hello kHello{"n1", "", {{0, 0, 0}}};

/// A server on the loopback whose agents are welcome, and clients that are plain sockets.
class Server : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    auto server = HeadServer::open(*loop_, Reach::this_host, "secret",
                                   [this](Hello hello, std::unique_ptr<ControlConnection> connection) {
                                     take(std::move(hello), std::move(connection));
                                   });
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }

  void take(Hello hello, std::unique_ptr<ControlConnection> connection) {
    connection->set_handlers({[this](std::string_view line) { lines_.emplace_back(line); },
                              [this](const std::string& why) { closed_.push_back(why); }});
    connection->send_line(render_message(HeadMessage{Welcome{}}));
    hellos_.push_back(std::move(hello));
    agents_.push_back(std::move(connection));
  }

  FileDescriptor dial() {
    const auto address = SocketAddress::parse(std::string_view(server_->endpoints().front()));
    FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(socket.get(), address->data(), address->size()), 0);
    return socket;
  }
  static void say(const FileDescriptor& socket, std::string_view text) {
    EXPECT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  FileDescriptor join() {
    FileDescriptor socket = dial();
    say(socket, "secret\n" + render_message(AgentMessage{kHello}) + "\n");
    return socket;
  }

  /// Runs the loop until `holds`; false when that takes longer than only a broken program needs.
  template <class Predicate>
  bool run_until(Predicate holds, int rounds = 30000) {
    for (int round = 0; round < rounds && !holds(); ++round) {
      loop_->after(milliseconds(1), [this] { loop_->quit(); });
      loop_->run();
    }
    return holds();
  }
  bool is_closed(const FileDescriptor& socket) {
    return run_until([&] {
      char byte = 0;
      const ssize_t size = recv(socket.get(), &byte, 1, MSG_DONTWAIT);
      return size == 0 || (size < 0 && errno == ECONNRESET);
    });
  }

  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<HeadServer> server_;
  std::vector<Hello> hellos_;
  std::vector<std::unique_ptr<ControlConnection>> agents_;
  std::vector<std::string> lines_;
  std::vector<std::string> closed_;
};

TEST_F(Server, TakesAnAgentThatKnowsTheNonce) {
  const FileDescriptor agent = join();
  ASSERT_TRUE(run_until([&] { return hellos_.size() == 1; }));
  EXPECT_TRUE(hellos_.front() == kHello);
  EXPECT_EQ(agents_.front()->remote_host(), "127.0.0.1");
}

TEST_F(Server, TakesOneThatSpeaksByteByByte) {
  const FileDescriptor agent = dial();
  for (const char byte : "secret\n" + render_message(AgentMessage{kHello}) + "\n") {
    say(agent, std::string_view(&byte, 1));
    run_until([] { return false; }, 1);
  }
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 1; }));
}

TEST_F(Server, ClosesOnAWrongNonce) {
  for (const std::string& nonce :
       {std::string("Secret"), std::string("secre"), std::string("secrets"), std::string()}) {
    const FileDescriptor stranger = dial();
    say(stranger, nonce + "\n" + render_message(AgentMessage{kHello}) + "\n");
    EXPECT_TRUE(is_closed(stranger)) << nonce;
  }
  EXPECT_TRUE(hellos_.empty());
}

TEST_F(Server, ClosesOnWhatIsNoHello) {
  for (const std::string& line :
       {render_message(AgentMessage{Pong{}}), std::string("GET / HTTP/1.1"), std::string("{}")}) {
    const FileDescriptor stranger = dial();
    say(stranger, "secret\n" + line + "\n");
    EXPECT_TRUE(is_closed(stranger)) << line;
  }
  EXPECT_TRUE(hellos_.empty());
}

TEST_F(Server, AHelloOfAWrongShapeEndsThatConnectionAlone) {
  for (const char* ranks : {"5", "\"0\"", "true", "null", "{}", "[0]", "[[0,0,\"0\"]]", "[[[0],0,0]]"}) {
    const FileDescriptor stranger = dial();
    say(stranger, std::string("secret\n{\"schema\":\"hello\",\"host\":\"n1\",\"interface\":\"\",\"ranks\":") +
                      ranks + "}\n");
    EXPECT_TRUE(is_closed(stranger)) << ranks;
  }
  const FileDescriptor agent = join();
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 1; }));
}

TEST_F(Server, ClosesOnAnEndlessFirstLine) {
  const FileDescriptor stranger = dial();
  say(stranger, std::string(kMaxNonceLine + 1, 'x'));
  EXPECT_TRUE(is_closed(stranger));
}

TEST_F(Server, StrangersThatSayNothingDoNotKeepAgentsOut) {
  std::vector<FileDescriptor> strangers;
  for (int i = 0; i < 15; ++i) strangers.push_back(dial());
  const FileDescriptor agent = join();
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 1; }));
}

TEST_F(Server, AnAgentBehindACrowdOfStrangersWaitsForRoom) {
  std::vector<FileDescriptor> strangers;
  for (int i = 0; i < 40; ++i) strangers.push_back(dial());
  const FileDescriptor agent = join();
  run_until([] { return false; }, 50);
  EXPECT_TRUE(hellos_.empty());
  strangers.clear();
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 1; }));
}

TEST_F(Server, HearsWhatAnAgentSaysAndItsEnd) {
  FileDescriptor agent = join();
  ASSERT_TRUE(run_until([&] { return hellos_.size() == 1; }));
  say(agent, "one\ntwo\nthr");
  say(agent, "ee\n");
  EXPECT_TRUE(run_until([&] { return lines_.size() == 3; }));
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two", "three"}));
  agent = FileDescriptor();
  EXPECT_TRUE(run_until([&] { return !closed_.empty(); }));
}

TEST_F(Server, CutsOffAnAgentWithAnEndlessLine) {
  const FileDescriptor agent = join();
  ASSERT_TRUE(run_until([&] { return hellos_.size() == 1; }));
  const std::string piece(1 << 16, 'x');
  for (std::size_t sent = 0; sent <= kMaxLine; sent += piece.size()) {
    (void)send(agent.get(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    run_until([] { return false; }, 1);
  }
  EXPECT_TRUE(run_until([&] { return !closed_.empty(); }));
}

TEST_F(Server, CutsOffAnAgentThatDoesNotRead) {
  const FileDescriptor agent = join();
  ASSERT_TRUE(run_until([&] { return hellos_.size() == 1; }));
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) agents_.front()->send_line(line);
  EXPECT_TRUE(run_until([&] { return !closed_.empty(); }));
}

TEST_F(Server, DeliversALongAnswerInPieces) {
  const FileDescriptor agent = join();
  ASSERT_TRUE(run_until([&] { return hellos_.size() == 1; }));
  const std::string line(8 << 20, 'x');
  agents_.front()->send_line(line);
  std::size_t received = 0;
  const std::size_t expected = line.size() + 1 + render_message(HeadMessage{Welcome{}}).size() + 1;
  EXPECT_TRUE(run_until([&] {
    std::string buffer(1 << 16, '\0');
    ssize_t size = 0;
    while ((size = recv(agent.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
      received += static_cast<std::size_t>(size);
    }
    return received == expected;
  }));
}

/// connect_to_head blocks: it runs in a child, whose exit code says how it went.
class Dialling : public Server {
 protected:
  int dial_in_child(const std::string& endpoints, const std::string& nonce) {
    const pid_t pid = fork();
    if (pid == 0) {
      const EnvMap env({{kHeadEndpoints, endpoints}, {kHeadNonce, nonce}});
      const auto socket = connect_to_head(env, kHello);
      _exit(socket ? 0 : 1);
    }
    int code = -1;
    loop_->on_exit_of(pid, [&](int status) { code = WEXITSTATUS(status); });
    EXPECT_TRUE(run_until([&] { return code >= 0; }));
    return code;
  }
};

TEST_F(Dialling, FindsHeadBehindAddressesThatDoNotAnswer) {
  EXPECT_EQ(dial_in_child("127.0.0.1:1,[::1]:1,nonsense," + server_->endpoints().front(), "secret"), 0);
  EXPECT_EQ(hellos_.size(), 1u);
}

TEST_F(Dialling, IsRefusedWithAWrongNonce) {
  EXPECT_EQ(dial_in_child(server_->endpoints().front(), "wrong"), 1);
  EXPECT_TRUE(hellos_.empty());
}

TEST(HeadServerReach, AllHostsGetsEveryAddressButTheLoopback) {
  if (resolve_local_addresses().empty())
    GTEST_SKIP() << "this machine has no network interface besides the loopback";
  const auto loop = EventLoop::create({}, [](int) {}).value();
  const auto server =
      HeadServer::open(*loop, Reach::all_hosts, "n", [](Hello, std::unique_ptr<ControlConnection>) {});
  ASSERT_TRUE(server) << server.error().message;
  ASSERT_EQ((*server)->endpoints().size(), resolve_local_addresses().size());
  for (const std::string& endpoint : (*server)->endpoints()) {
    const auto address = SocketAddress::parse(std::string_view(endpoint));
    ASSERT_TRUE(address) << endpoint;
    EXPECT_FALSE(address->is_loopback());
    const FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(socket.get(), address->data(), address->size()), 0) << endpoint;
  }
}

}  // namespace
}  // namespace ddp::agent
