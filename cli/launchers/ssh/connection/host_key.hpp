#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/host_key_policy.hpp"
#include "cli/launchers/ssh/connection/libssh_api.hpp"
#include "cli/launchers/ssh/connection/ssh_settings.hpp"

namespace ddp::cli {

/// What the files of known hosts say of one host. They are looked up here, by the name that ssh uses: libssh
/// knows a host by the address only that it connects to.
class KnownKeys {
 public:
  KnownKeys(const LibSsh& library, const SshSettings& settings);

  /// The kinds of keys that may be asked for, comma-separated; those that the host is known by come first.
  [[nodiscard]] std::string preferred_types() const;

  /// Whether the host of a connected session may be trusted: only by a key that is known, and that no line
  /// revokes; with HostKeyPolicy::accept_new also by one of a host that is seen for the first time, which is
  /// written down. Otherwise ExitCode::authentication, with fingerprints and what to do. Thread-safe.
  [[nodiscard]] Expected<void> check(ssh_session session, HostKeyPolicy policy) const;

 private:
  struct Key {
    std::string type, base64, fingerprint, file;
  };
  [[nodiscard]] Key shown_key(ssh_session session) const;
  [[nodiscard]] std::vector<Key> find_keys(const std::string& name) const;
  [[nodiscard]] bool is_excluded(const std::string& name, const std::string& line) const;
  [[nodiscard]] Expected<void> check_revoked(const Key& shown) const;
  [[nodiscard]] Expected<void> refuse_changed(const Key& shown) const;
  [[nodiscard]] Expected<void> refuse_unknown(const Key& shown) const;
  [[nodiscard]] Expected<void> accept(const Key& shown) const;

  const LibSsh& library_;
  const SshSettings& settings_;
  std::vector<std::string> files_;
  std::string name_;  ///< of the host in known_hosts
  std::vector<Key> keys_;
  std::vector<Key> keys_without_port_;  ///< ssh takes them, too, and does not call another key changed
};

/// A line of known_hosts that names no key of a host: "@revoked hosts type key", "@cert-authority …".
struct MarkedKey {
  std::string marker;  ///< "@revoked"
  std::string key;     ///< base64
};
[[nodiscard]] std::vector<MarkedKey> parse_marked_keys(std::string_view known_hosts);

}  // namespace ddp::cli
