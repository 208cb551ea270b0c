#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// An IPv4 or IPv6 address with its port, as the socket calls take it.
class SocketAddress {
 public:
  /// `host` is numeric: "10.0.0.1", "fe80::1".
  [[nodiscard]] static Expected<SocketAddress> parse(const std::string& host, int port);
  /// "10.0.0.1:4000" or "[fd00::1]:4000".
  [[nodiscard]] static Expected<SocketAddress> parse(std::string_view endpoint);
  /// The two ends of a connected or bound socket.
  [[nodiscard]] static std::optional<SocketAddress> local_end(int socket);
  [[nodiscard]] static std::optional<SocketAddress> remote_end(int socket);
  explicit SocketAddress(const sockaddr* address);

  /// Without port. An IPv4 address that came in over an IPv6 socket is an IPv4 address.
  [[nodiscard]] std::string host() const;
  [[nodiscard]] int port() const;
  [[nodiscard]] std::string endpoint() const;
  [[nodiscard]] bool is_loopback() const;
  [[nodiscard]] int family() const { return storage_.ss_family; }
  [[nodiscard]] const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size() const;

 private:
  SocketAddress() = default;
  sockaddr_storage storage_{};
};

/// The addresses of this host's interfaces that are up, IPv4 first. No loopback, no link-local ones: another
/// host could not use them.
[[nodiscard]] std::vector<std::string> resolve_local_addresses();

/// The name of the interface that has the numeric `address`; empty when none has.
[[nodiscard]] std::string interface_with_address(const std::string& address);

/// The address of the interface `name` (IPv4 before IPv6).
[[nodiscard]] Expected<std::string> resolve_interface(const std::string& name);

}  // namespace ddp::agent
