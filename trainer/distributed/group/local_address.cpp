#include "trainer/distributed/group/local_address.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace ddp::trainer {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList resolve(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) found = nullptr;
  return {found, &freeaddrinfo};
}

// Connecting a datagram socket only chooses its route, and with it its own address.
std::optional<std::string> source_address(const addrinfo& target) {
  const int socket_fd = socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0) return std::nullopt;
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  auto* const generic = reinterpret_cast<sockaddr*>(&own);
  std::array<char, NI_MAXHOST> text{};
  const bool known = connect(socket_fd, target.ai_addr, target.ai_addrlen) == 0 &&
                     getsockname(socket_fd, generic, &size) == 0 &&
                     getnameinfo(generic, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  close(socket_fd);
  return known ? std::optional<std::string>(text.data()) : std::nullopt;
}

}  // namespace

std::optional<std::string> local_address_towards(const std::string& host, int port) {
  const AddressList targets = resolve(host, port);
  for (const addrinfo* target = targets.get(); target != nullptr; target = target->ai_next) {
    if (auto address = source_address(*target)) return address;
  }
  return std::nullopt;
}

}  // namespace ddp::trainer
