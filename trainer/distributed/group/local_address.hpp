#pragma once

#include <optional>
#include <string>

namespace ddp::trainer {

/// The address of this host, in numbers, from which packets to `host`:`port` are sent; none when there is no
/// way. Sends nothing.
[[nodiscard]] std::optional<std::string> local_address_towards(const std::string& host, int port);

}  // namespace ddp::trainer
