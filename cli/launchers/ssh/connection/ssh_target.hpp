#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/launchers/host_key_policy.hpp"

namespace ddp::cli {

/// A host as ssh reaches it. What is not set here, ~/.ssh/config says, or ssh's defaults.
struct SshTarget {
  std::string host;                    ///< its name, under which ~/.ssh/config knows it
  std::optional<std::string> address;  ///< to connect to instead
  std::optional<std::string> user;
  std::optional<int> port;
  std::optional<std::string> identity_file;
  std::chrono::seconds timeout{10};  ///< for the host to answer, at each step
  HostKeyPolicy host_keys = HostKeyPolicy::known_only;
};

}  // namespace ddp::cli
