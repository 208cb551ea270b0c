#include "jobenv/agent/connection/socket_address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "ddp/jobenv/whole_number.hpp"

namespace ddp::agent {
namespace {

const sockaddr_in& as_v4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& as_v6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

using NameCall = int (*)(int, sockaddr*, socklen_t*);

std::optional<SocketAddress> end_of(int socket, NameCall call) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (call(socket, address, &size) != 0) return std::nullopt;
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return std::nullopt;
  return SocketAddress(address);
}

struct Interface {
  std::string name;
  SocketAddress address;
};

bool is_link_local(const SocketAddress& address) {
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.data());
  if (address.family() == AF_INET6) return IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
  return address.host().starts_with("169.254.");
}

/// What is up, IPv4 first, else in the kernel's order.
std::vector<Interface> list_interfaces() {
  std::vector<Interface> interfaces;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return interfaces;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    interfaces.push_back({entry->ifa_name, SocketAddress(entry->ifa_addr)});
  }
  freeifaddrs(list);
  std::erase_if(interfaces, [](const Interface& interface) { return is_link_local(interface.address); });
  std::stable_partition(interfaces.begin(), interfaces.end(),
                        [](const Interface& i) { return i.address.family() == AF_INET; });
  return interfaces;
}

}  // namespace

SocketAddress::SocketAddress(const sockaddr* address) {
  const std::size_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&storage_, address, size);
}

Expected<SocketAddress> SocketAddress::parse(const std::string& host, int port) {
  SocketAddress address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage_);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage_);
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  } else {
    return fail(ExitCode::run_failed, "'" + host + "' is not an IPv4 or IPv6 address");
  }
  return address;
}

Expected<SocketAddress> SocketAddress::parse(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : parse_whole_number(endpoint.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) {
    return fail(ExitCode::run_failed, "'" + std::string(endpoint) + "' is not of the form ADDRESS:PORT");
  }
  std::string_view host = endpoint.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return parse(std::string(host), static_cast<int>(*port));
}

std::optional<SocketAddress> SocketAddress::local_end(int socket) {
  return end_of(socket, [](int s, sockaddr* a, socklen_t* n) { return getsockname(s, a, n); });
}

std::optional<SocketAddress> SocketAddress::remote_end(int socket) {
  return end_of(socket, [](int s, sockaddr* a, socklen_t* n) { return getpeername(s, a, n); });
}

std::string SocketAddress::host() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() == AF_INET) {
    inet_ntop(AF_INET, &as_v4(storage_).sin_addr, text.data(), text.size());
    return text.data();
  }
  inet_ntop(AF_INET6, &as_v6(storage_).sin6_addr, text.data(), text.size());
  const std::string host = text.data();
  return IN6_IS_ADDR_V4MAPPED(&as_v6(storage_).sin6_addr) ? host.substr(host.rfind(':') + 1) : host;
}

int SocketAddress::port() const {
  return ntohs(family() == AF_INET ? as_v4(storage_).sin_port : as_v6(storage_).sin6_port);
}

std::string SocketAddress::endpoint() const {
  const std::string address = host();
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port());
}

bool SocketAddress::is_loopback() const {
  const std::string address = host();
  return address == "::1" || address.starts_with("127.");
}

socklen_t SocketAddress::size() const {
  return family() == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

std::vector<std::string> resolve_local_addresses() {
  std::vector<std::string> addresses;
  for (const Interface& interface : list_interfaces()) {
    if (!interface.address.is_loopback()) addresses.push_back(interface.address.host());
  }
  return addresses;
}

std::string interface_with_address(const std::string& address) {
  for (const Interface& interface : list_interfaces()) {
    if (interface.address.host() == address) return interface.name;
  }
  return {};
}

Expected<std::string> resolve_interface(const std::string& name) {
  std::set<std::string> names;
  for (const Interface& interface : list_interfaces()) {
    if (interface.name == name) return interface.address.host();
    names.insert(interface.name);
  }
  std::string known;
  for (const auto& each : names) known += (known.empty() ? "" : ", ") + each;
  return fail(ExitCode::run_failed, "this host has no interface '" + name + "' that is up and has an address",
              "rendezvous.interface can be one of: " + known);
}

}  // namespace ddp::agent
