#include "tests/unit/jobenv/agent/strangers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>
#include <vector>

#include "jobenv/agent/connection/socket_address.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kCount = 1000;
constexpr std::size_t kMostConnections = 100'000;
constexpr unsigned kMostSeconds = 60;

std::string_view first_word(Stranger kind) {
  switch (kind) {
    case Stranger::half_a_nonce:
      return "0123456789abcdef";
    case Stranger::garbage:
      return "GET / HTTP/1.1\r\nHost: head\r\n\r\n";
    case Stranger::slow:
      return "0";
    case Stranger::idle:
      break;
  }
  return {};
}

void say(const FileDescriptor& socket, std::string_view word) {
  if (!word.empty()) (void)send(socket.get(), word.data(), word.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Closed by a reset, so that no port stays in use.
FileDescriptor connect_to(const SocketAddress& address, Stranger kind) {
  FileDescriptor socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const linger reset{1, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (connect(socket.get(), address.data(), address.size()) == 0) say(socket, first_word(kind));
  return socket;
}

[[noreturn]] void crowd(const SocketAddress& address, Stranger kind, Insistence insistence, int word) {
  std::vector<FileDescriptor> sockets;
  while (sockets.size() < kCount) sockets.push_back(connect_to(address, kind));
  if (write(word, "!", 1) != 1) _exit(1);
  for (std::size_t count = 0; count < kMostConnections; ++count) {
    const std::size_t place = count % kCount;
    if (kind == Stranger::slow) say(sockets[(place + kCount / 2) % kCount], "0");
    if (insistence == Insistence::stays) {
      usleep(1000);
      continue;
    }
    sockets[place] = FileDescriptor();
    sockets[place] = connect_to(address, kind);
  }
  _exit(0);
}

}  // namespace

Strangers::Strangers(const std::string& endpoint, Stranger kind, Insistence insistence) {
  const auto address = SocketAddress::parse(std::string_view(endpoint)).value();
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  word_ = FileDescriptor(ends[0]);
  const FileDescriptor write_end(ends[1]);
  pid_ = fork();
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  alarm(kMostSeconds);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  crowd(address, kind, insistence, write_end.get());
}

Strangers::~Strangers() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Strangers::are_there() {
  char byte = 0;
  return there_ = there_ || read(word_.get(), &byte, 1) == 1;
}

}  // namespace ddp::agent
