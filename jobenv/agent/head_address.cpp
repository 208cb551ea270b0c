#include "jobenv/agent/head_address.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <vector>

#include "jobenv/agent/control_protocol.hpp"
#include "jobenv/agent/socket_address.hpp"

namespace ddp::agent {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 3;
constexpr std::chrono::seconds kConnectPatience{2};  // room for one lost packet
constexpr std::chrono::seconds kWelcomePatience{5};

bool wait_until_ready(int socket, short events, Clock::time_point deadline) {
  pollfd source{socket, events, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    const int count = poll(&source, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

/// Of one try.
struct Attempted {
  HeadAnswer answer;
  std::string why;  ///< there is no socket
};

Attempted silent(const std::string& why) {
  return {{HeadSight::silent, {}}, why};
}

Attempted gone(const std::string& why) {
  return {{HeadSight::gone, {}}, why};
}

int error_of(const FileDescriptor& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

/// A reset says that the port is nobody's; a missing route says nothing.
Attempted refused(int error) {
  return error == ECONNREFUSED || error == ECONNRESET ? gone(std::strerror(error))
                                                      : silent(std::strerror(error));
}

Attempted introduce(FileDescriptor socket, const std::string& introduction) {
  if (send(socket.get(), introduction.data(), introduction.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(introduction.size())) {
    return silent("cannot send");
  }
  const std::string welcome = render_message(HeadMessage{Welcome{}}) + "\n";
  std::string answer(welcome.size(), '\0');
  std::size_t received = 0;
  const auto deadline = Clock::now() + kWelcomePatience;
  while (received < welcome.size()) {  // and not a byte more: what follows belongs to the connection
    if (!wait_until_ready(socket.get(), POLLIN, deadline)) return silent("no welcome");
    const ssize_t count = recv(socket.get(), &answer[received], welcome.size() - received, 0);
    if (count < 0) return silent(std::strerror(errno));
    if (count == 0) return gone("not the head of this run");
    received += static_cast<std::size_t>(count);
  }
  if (answer != welcome) return gone("not the head of this run");
  return {{HeadSight::welcome, std::move(socket)}, {}};
}

Attempted try_address(const std::string& endpoint, const std::string& introduction) {
  const auto address = SocketAddress::parse(std::string_view(endpoint));
  if (!address) return silent(address.error().message);
  FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return silent(std::strerror(errno));
  if (connect(socket.get(), address->data(), address->size()) != 0 && errno != EINPROGRESS)
    return refused(errno);
  if (!wait_until_ready(socket.get(), POLLOUT, Clock::now() + kConnectPatience)) return silent("no answer");
  if (const int error = error_of(socket); error != 0) return refused(error);
  return introduce(std::move(socket), introduction);
}

std::string render_introduction(const std::string& nonce, const Hello& hello) {
  return nonce + "\n" + render_message(AgentMessage{hello}) + "\n";
}

}  // namespace

Expected<FileDescriptor> connect_to_head(const EnvMap& env, const Hello& hello) {
  const auto endpoints = env.get(kHeadEndpoints);
  const auto nonce = env.get(kHeadNonce);
  if (!endpoints || !nonce) {
    return fail(ExitCode::usage, std::string(kHeadEndpoints) + " and " + kHeadNonce + " are not set",
                "this role is started by 'ddp-agent head'");
  }
  const std::string introduction = render_introduction(*nonce, hello);
  std::string problems;
  for (int round = 0; round < kRounds; ++round) {
    problems.clear();
    std::istringstream list(*endpoints);
    for (std::string endpoint; std::getline(list, endpoint, ',');) {
      auto attempted = try_address(endpoint, introduction);
      if (attempted.answer.sight == HeadSight::welcome) return std::move(attempted.answer.socket);
      problems += "\n  " + endpoint + ": " + attempted.why;
    }
  }
  return fail(ExitCode::run_failed, "cannot reach head:" + problems,
              "is there a firewall between the nodes? head listens on a free port of every interface");
}

HeadAnswer look_for_head(const EnvMap& env, const std::string& endpoint, const Hello& hello) {
  return try_address(endpoint, render_introduction(env.get(kHeadNonce).value_or(""), hello)).answer;
}

}  // namespace ddp::agent
