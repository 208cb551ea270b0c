#include "jobenv/agent/connection/head_address.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <vector>

#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"

namespace ddp::agent {
namespace {

using Clock = std::chrono::steady_clock;
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

HeadAnswer answer(HeadSight sight, const std::string& why) {
  return {sight, {}, why};
}

int error_of(const FileDescriptor& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

/// A refusal says that the port is nobody's; a missing route says nothing.
HeadAnswer unconnected(int error) {
  // A reset may be that of a queue which is full.
  return answer(error == ECONNREFUSED ? HeadSight::gone : HeadSight::silent, std::strerror(error));
}

HeadAnswer introduce(FileDescriptor socket, const std::string& introduction) {
  if (send(socket.get(), introduction.data(), introduction.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(introduction.size())) {
    return answer(HeadSight::no_welcome, "cannot send data");
  }
  const std::string welcome = render_message(HeadMessage{Welcome{}}) + "\n";
  std::string received(welcome.size(), '\0');
  std::size_t size = 0;
  const auto deadline = Clock::now() + kWelcomePatience;
  while (size < welcome.size()) {  // and not a byte more: what follows belongs to the connection
    if (!wait_until_ready(socket.get(), POLLIN, deadline)) return answer(HeadSight::no_welcome, "no reply");
    const ssize_t count = recv(socket.get(), &received[size], welcome.size() - size, 0);
    if (count < 0) return answer(HeadSight::no_welcome, std::string("no reply: ") + std::strerror(errno));
    if (count == 0) return answer(HeadSight::denied, "the other side closed the connection");
    size += static_cast<std::size_t>(count);
  }
  if (received != welcome) return answer(HeadSight::denied, "this is not the head of this run");
  return {HeadSight::welcome, std::move(socket), {}};
}

HeadAnswer try_address(const std::string& endpoint, const std::string& introduction) {
  const auto address = SocketAddress::parse(std::string_view(endpoint));
  if (!address) return answer(HeadSight::silent, address.error().message);
  FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return answer(HeadSight::silent, std::strerror(errno));
  if (connect(socket.get(), address->data(), address->size()) != 0 && errno != EINPROGRESS)
    return unconnected(errno);
  if (!wait_until_ready(socket.get(), POLLOUT, Clock::now() + kConnectPatience))
    return answer(HeadSight::silent, "no answer");
  if (const int error = error_of(socket); error != 0) return unconnected(error);
  return introduce(std::move(socket), introduction);
}

std::string render_introduction(const std::string& nonce, const Hello& hello) {
  return nonce + "\n" + render_message(AgentMessage{hello}) + "\n";
}

}  // namespace

Expected<HeadAnswer> look_for_head(const EnvMap& env, const Hello& hello) {
  const auto endpoints = env.get(kHeadEndpoints);
  const auto nonce = env.get(kHeadNonce);
  if (!endpoints || !nonce) {
    return fail(ExitCode::usage, std::string(kHeadEndpoints) + " and " + kHeadNonce + " are not set",
                "this role is started by 'ddp-agent head'");
  }
  const std::string introduction = render_introduction(*nonce, hello);
  HeadAnswer best{HeadSight::gone, {}, {}};
  std::istringstream list(*endpoints);
  for (std::string endpoint; std::getline(list, endpoint, ',');) {
    auto tried = try_address(endpoint, introduction);
    if (tried.sight == HeadSight::welcome) return tried;
    best.sight = std::max(best.sight, tried.sight);
    best.why += "\n  " + endpoint + ": " + tried.why;
  }
  return best;
}

HeadAnswer look_for_head_at(const EnvMap& env, const std::string& endpoint, const Hello& hello) {
  return try_address(endpoint, render_introduction(env.get(kHeadNonce).value_or(""), hello));
}

}  // namespace ddp::agent
