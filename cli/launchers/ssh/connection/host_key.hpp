#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/ssh/connection/libssh_api.hpp"
#include "cli/launchers/ssh/connection/ssh_target.hpp"

namespace ddp::cli {

/// Whether the host of a connected session may be trusted: only by a key that known_hosts has, and that no
/// line revokes; with HostKeyPolicy::accept_new also by one that it sees for the first time, which is written
/// down. Otherwise ExitCode::authentication, with fingerprints and what to do. Thread-safe.
[[nodiscard]] Expected<void> check_host_key(const LibSsh& library, ssh_session session,
                                            const SshTarget& target);

/// A line of known_hosts that libssh passes over: "@revoked hosts type key", "@cert-authority …".
struct MarkedKey {
  std::string marker;  ///< "@revoked"
  std::string key;     ///< base64
};
[[nodiscard]] std::vector<MarkedKey> parse_marked_keys(std::string_view known_hosts);

}  // namespace ddp::cli
