#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ddp::cli {

/// What to do about the key of a host that known_hosts does not have: a key that has changed is never taken.
enum class HostKeyPolicy { known_only, accept_new };

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
