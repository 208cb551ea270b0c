#include "jobenv/agent/notify/url_credentials.hpp"

#include <algorithm>
#include <string_view>

namespace ddp::agent {

std::string without_url_credentials(std::string text) {
  constexpr std::string_view kBegin = "://";
  constexpr std::string_view kBehindHost = "/?#\\ \t\r\n\"'`<>";
  for (auto at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at)) {
    at += kBegin.size();
    const auto end = std::min(text.find_first_of(kBehindHost, at), text.size());
    const auto sign = text.rfind('@', end);
    if (sign != std::string::npos && sign > at) text.replace(at, sign - at, "[hidden]");
  }
  return text;
}

}  // namespace ddp::agent
