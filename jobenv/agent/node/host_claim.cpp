#include "jobenv/agent/node/host_claim.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>

namespace ddp::agent {

std::optional<HostClaim> HostClaim::on_ranks(const std::string& run_dir, int node_rank) {
  return take("ranks", run_dir, node_rank);
}

std::optional<HostClaim> HostClaim::on_agent(const std::string& nonce, int node_rank) {
  return take("agent", nonce, node_rank);
}

/// The name is a hash: a path may be longer than an address.
std::optional<HostClaim> HostClaim::take(const std::string& what, const std::string& of, int node_rank) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const std::string name = "ddpsubmit-" + what + "-" + std::to_string(std::hash<std::string>{}(of)) + "-" +
                           std::to_string(node_rank);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const bool held =
      bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 && errno == EADDRINUSE;
  if (held) return std::nullopt;
  return HostClaim(std::move(socket));
}

}  // namespace ddp::agent
