#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddp::cli {

/// Where no folder is shared: ddp-agent, told by its content from any other.
struct PushedAgent {
  std::string folder;  ///< of the host, for programs and runs; empty: ~/.ddpsubmit
  std::string sha256;
  std::uint64_t size = 0;
};

/// ddp-agent on an ssh host.
struct RemoteAgent {
  std::string path;                 ///< the same on all hosts; with `push` that on this machine
  std::optional<PushedAgent> push;  ///< it is copied to a host that does not have it
};

}  // namespace ddp::cli
