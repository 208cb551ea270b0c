#include "cli/launchers/ssh/keys/host_names.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

constexpr std::int64_t kPortOfSsh = 22;
/// Numbers from here on are ports: no host has so many slots, and users can give no smaller ones to an sshd.
constexpr std::int64_t kLeastPort = 1024;
constexpr std::int64_t kMostPort = 65'535;

bool is_alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_ipv6(std::string_view text) {
  in6_addr ignored{};
  return inet_pton(AF_INET6, std::string(text).c_str(), &ignored) == 1;
}

/// "name:port" and "[address]:port".
struct NameAndPort {
  std::string_view name, port;
};

std::optional<NameAndPort> split_port(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos || (end + 1 < text.size() && text[end + 1] != ':')) return std::nullopt;
    return NameAndPort{text.substr(1, end - 1), text.substr(std::min(end + 2, text.size()))};
  }
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon != text.rfind(':')) return std::nullopt;
  return NameAndPort{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

void take_user_and_port_apart(SshHost& host) {
  if (const std::size_t at = host.host.rfind('@');
      at != std::string::npos && at > 0 && at + 1 < host.host.size()) {
    if (!host.user) host.user = host.host.substr(0, at);
    host.host.erase(0, at + 1);
  }
  const auto parts = split_port(host.host);
  if (!parts) return;
  if (parts->port.empty() && host.host.ends_with(':')) return;
  const auto port = parse_whole_number(parts->port);
  if (!parts->port.empty() && (!port || (*port != kPortOfSsh && *port < kLeastPort) || *port > kMostPort))
    return;
  if (port && !host.port) host.port = port;
  host.host = std::string(parts->name);
}

bool is_host_name(std::string_view text) {
  const auto fits = [](char c) {
    return is_alphanumeric(c) || std::string_view("._-").find(c) != std::string_view::npos;
  };
  if (is_ipv6(text)) return true;
  return !text.empty() && text.front() != '-' && text.front() != '.' && std::ranges::all_of(text, fits);
}

bool is_user_name(std::string_view text) {
  constexpr std::string_view kForShells = "'`\"$;&<>|(){}";
  const auto fits = [&](char c) { return c > ' ' && c <= '~' && kForShells.find(c) == kForShells.npos; };
  return !text.empty() && text.front() != '-' && text.back() != '\\' && std::ranges::all_of(text, fits);
}

bool may_mean_slots(std::string_view text) {
  const auto parts = split_port(text);
  return parts && is_host_name(parts->name) &&
         parse_whole_number(parts->port).value_or(kMostPort + 1) <= kMostPort;
}

}  // namespace ddp::cli
