#pragma once

#include <arpa/inet.h>

#include <string>

namespace ddp {

/// Whether `text` is an IPv4 or IPv6 address, not a name.
[[nodiscard]] inline bool is_ip_address(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 || inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

/// Whether `text` means this machine on every machine.
[[nodiscard]] inline bool is_loopback(const std::string& text) {
  return text == "localhost" || text == "::1" || (text.starts_with("127.") && is_ip_address(text));
}

}  // namespace ddp
