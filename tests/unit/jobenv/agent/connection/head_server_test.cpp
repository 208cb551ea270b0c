#include "jobenv/agent/connection/head_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/process/descriptor_limit.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"
#include "tests/unit/jobenv/agent/strangers.hpp"

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

TEST_F(Server, ClosesOnAnEndlessFirstLine) {
  const FileDescriptor stranger = dial();
  say(stranger, std::string(kMaxNonceLine + 1, 'x'));
  EXPECT_TRUE(is_closed(stranger));
}

TEST_F(Server, AHelloOfAWrongShapeEndsThatConnectionAlone) {
  for (const char* ranks : {"5", "\"0\"", "true", "null", "{}", "[0]", "[[0,0,\"0\"]]", "[[[0],0,0]]",
                            "[[18446744073709551615,0,0]]"}) {
    const FileDescriptor stranger = dial();
    say(stranger, std::string("secret\n{\"schema\":\"hello\",\"host\":\"n1\",\"interface\":\"\",\"ranks\":") +
                      ranks + "}\n");
    EXPECT_TRUE(is_closed(stranger)) << ranks;
  }
  const FileDescriptor agent = join();
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 1; }));
}

TEST_F(Server, AGuestHasTwoSecondsToIntroduceItself) {
  const FileDescriptor silent = dial();
  const FileDescriptor half = dial();
  say(half, "sec");
  const FileDescriptor nameless = dial();
  say(nameless, "secret\n{\"schema\":");
  std::optional<std::uint64_t> turned_away;
  run_until([] { return false; }, 50);
  loop_->after(milliseconds(2500), [&] { turned_away = server_->turned_away(); });
  EXPECT_TRUE(run_until([&] { return turned_away.has_value(); }));
  EXPECT_EQ(turned_away, 3u);
  EXPECT_TRUE(is_closed(silent) && is_closed(half) && is_closed(nameless));
}

TEST_F(Server, WhatLateGuestsHaveSaidIsReadBeforeTheyGo) {
  std::vector<FileDescriptor> agents;  // more than the loop hears before it looks at the time
  for (int i = 0; i < 100; ++i) agents.push_back(dial());
  run_until([] { return false; }, 50);
  std::this_thread::sleep_for(milliseconds(2100));  // head does not run
  for (const auto& agent : agents) say(agent, "secret\n" + render_message(AgentMessage{kHello}) + "\n");
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 100; }));
  EXPECT_EQ(server_->turned_away(), 0u);
}

/// With few descriptors, a quarter of which are for guests.
class CrampedServer : public Server {
 protected:
  static constexpr rlim_t kDescriptors = 160;
  static constexpr std::size_t kGuests = kDescriptors / 4;

  void SetUp() override {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{kDescriptors, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    Server::SetUp();
  }
  void TearDown() override { setrlimit(RLIMIT_NOFILE, &before_); }

  bool is_open(const FileDescriptor& socket) {
    char byte = 0;
    return recv(socket.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  rlimit before_{};
};

TEST_F(CrampedServer, TheOldestStrangerMakesRoomAndNeverOneThatHasSentTheNonce) {
  const FileDescriptor guest = dial();
  say(guest, "secret\n");
  std::vector<FileDescriptor> strangers;
  for (std::size_t i = 0; i < kGuests + 4; ++i) strangers.push_back(dial());
  // All of them wait to be accepted: the nonce of the oldest one is read when its turn to go has come.
  EXPECT_TRUE(is_closed(strangers.at(4)));
  EXPECT_EQ(server_->turned_away(), 5u);
  EXPECT_TRUE(is_open(strangers.at(5)));
  EXPECT_TRUE(is_open(strangers.back()));
  say(guest, render_message(AgentMessage{kHello}) + "\n");
  EXPECT_TRUE(run_until([&] { return hellos_.size() == 1; }));
}

TEST_F(CrampedServer, GuestsThatHaveSentTheNonceAreNotPushedOut) {
  std::vector<FileDescriptor> guests;
  for (std::size_t i = 0; i < kGuests; ++i) {
    guests.push_back(dial());
    say(guests.back(), "secret\n");
  }
  const FileDescriptor late = dial();
  run_until([] { return false; }, 20);
  EXPECT_EQ(server_->turned_away(), 0u);
  for (const FileDescriptor& guest : guests) say(guest, render_message(AgentMessage{kHello}) + "\n");
  EXPECT_TRUE(run_until([&] { return hellos_.size() == kGuests; }));
  say(late, "secret\n" + render_message(AgentMessage{kHello}) + "\n");
  EXPECT_TRUE(run_until([&] { return hellos_.size() == kGuests + 1; }));
}

TEST_F(CrampedServer, StrangersGoWhenDescriptorsRunOut) {
  std::vector<FileDescriptor> strangers;
  for (std::size_t i = 0; i < kGuests / 2; ++i) strangers.push_back(dial());
  const FileDescriptor agent = join();
  std::vector<FileDescriptor> taken;  // all that are left
  for (int next = 0; (next = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken.emplace_back(next);
  EXPECT_EQ(errno, EMFILE);
  taken.pop_back();  // for the first stranger
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

/// look_for_head blocks: it runs in a child, whose exit code says how it went.
class Dialling : public Server {
 protected:
  int dial_in_child(const std::string& endpoints, const std::string& nonce, int rounds = 1) {
    const pid_t pid = fork();
    if (pid == 0) {
      const EnvMap env({{kHeadEndpoints, endpoints}, {kHeadNonce, nonce}});
      HeadSight sight = HeadSight::silent;
      while (rounds-- > 0 && sight != HeadSight::welcome) sight = look_for_head(env, kHello).value().sight;
      _exit(static_cast<int>(sight));
    }
    int code = -1;
    loop_->on_exit_of(pid, [&](int status) { code = WEXITSTATUS(status); });
    EXPECT_TRUE(run_until([&] { return code >= 0; }));
    return code;
  }
};

constexpr int kWelcome = static_cast<int>(HeadSight::welcome);

TEST_F(Dialling, FindsHeadBehindAddressesThatDoNotAnswer) {
  EXPECT_EQ(dial_in_child("127.0.0.1:1,[::1]:1,nonsense," + server_->endpoints().front(), "secret"),
            kWelcome);
  EXPECT_EQ(hellos_.size(), 1u);
}

TEST_F(Dialling, IsRefusedWithAWrongNonce) {
  EXPECT_EQ(dial_in_child(server_->endpoints().front(), "wrong"), static_cast<int>(HeadSight::denied));
  EXPECT_TRUE(hellos_.empty());
}

TEST_F(Dialling, AddressesThatAllRefuseSayThatHeadIsGone) {
  EXPECT_EQ(dial_in_child("127.0.0.1:1,127.0.0.2:1", "secret"), static_cast<int>(HeadSight::gone));
}

/// An agent that comes while a thousand strangers are there.
class Crowded : public Dialling, public testing::WithParamInterface<std::pair<Stranger, Insistence>> {
 protected:
  void SetUp() override {
    (void)raise_descriptor_limit();
    Server::SetUp();
  }
};

TEST_P(Crowded, AnAgentIsWelcome) {
  Strangers strangers(server_->endpoints().front(), GetParam().first, GetParam().second);
  ASSERT_TRUE(run_until([&] { return strangers.are_there(); }));
  EXPECT_EQ(dial_in_child(server_->endpoints().front(), "secret", 20), kWelcome);
}

INSTANTIATE_TEST_SUITE_P(Strangers, Crowded,
                         testing::Values(std::pair(Stranger::idle, Insistence::stays),
                                         std::pair(Stranger::half_a_nonce, Insistence::stays),
                                         std::pair(Stranger::garbage, Insistence::stays),
                                         std::pair(Stranger::slow, Insistence::stays),
                                         std::pair(Stranger::idle, Insistence::reconnects),
                                         std::pair(Stranger::half_a_nonce, Insistence::reconnects),
                                         std::pair(Stranger::garbage, Insistence::reconnects),
                                         std::pair(Stranger::slow, Insistence::reconnects)));

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
