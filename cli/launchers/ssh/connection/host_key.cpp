#include "cli/launchers/ssh/connection/host_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <sstream>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr const char* kSystemKnownHosts = "/etc/ssh/ssh_known_hosts";

/// The key that the host has shown, in the two forms that people and files have of it.
struct ShownKey {
  std::string type;
  std::string base64;
  std::string fingerprint;
};

std::string fingerprint_of(const LibSsh& library, ssh_key key) {
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (library.ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != 0) return "unreadable";
  char* text = library.ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  std::string fingerprint = text == nullptr ? "unreadable" : text;
  library.ssh_string_free_char(text);
  library.ssh_clean_pubkey_hash(&hash);
  return fingerprint;
}

ShownKey shown_key(const LibSsh& library, ssh_session session) {
  ssh_key key = nullptr;
  if (library.ssh_get_server_publickey(session, &key) != SSH_OK) return {};
  const char* type = library.ssh_key_type_to_char(library.ssh_key_type(key));
  ShownKey shown{type == nullptr ? "" : type, {}, fingerprint_of(library, key)};
  char* base64 = nullptr;
  if (library.ssh_pki_export_pubkey_base64(key, &base64) == SSH_OK) {
    shown.base64 = base64;
    library.ssh_string_free_char(base64);
  }
  library.ssh_key_free(key);
  return shown;
}

/// Of the keys that a file of known hosts has for `host`: "ssh-rsa SHA256:…, …".
std::string known_fingerprints(const LibSsh& library, const std::string& file, const std::string& host) {
  std::string fingerprints;
  std::istringstream lines(load_file(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    ssh_knownhosts_entry* entry = nullptr;
    if (library.ssh_known_hosts_parse_line(host.c_str(), line.c_str(), &entry) != SSH_OK) continue;
    const char* type = library.ssh_key_type_to_char(library.ssh_key_type(entry->publickey));
    fingerprints += (fingerprints.empty() ? "" : ", ") + std::string(type == nullptr ? "" : type) + " " +
                    fingerprint_of(library, entry->publickey);
    library.ssh_knownhosts_entry_free(entry);
  }
  return fingerprints;
}

std::string known_hosts_file(const LibSsh& library, ssh_session session) {
  char* path = nullptr;
  if (library.ssh_options_get(session, SSH_OPTIONS_KNOWNHOSTS, &path) != SSH_OK || path == nullptr) return {};
  std::string file = path;
  library.ssh_string_free_char(path);
  return file;
}

std::vector<MarkedKey> load_marked_keys(const std::string& user_file) {
  std::vector<MarkedKey> keys;
  for (const std::string& file : {user_file, std::string(kSystemKnownHosts)}) {
    const auto text = load_file(file);
    if (!text) continue;
    const auto more = parse_marked_keys(*text);
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

tl::unexpected<Error> distrust(std::string message, std::string hint) {
  return fail(ExitCode::authentication, std::move(message), std::move(hint));
}

/// How ssh-keygen and known_hosts call the host.
std::string name_in_known_hosts(const SshTarget& target) {
  const std::string name = target.address.value_or(target.host);
  return target.port && *target.port != 22 ? fmt::format("[{}]:{}", name, *target.port) : name;
}

class HostKeyCheck {
 public:
  HostKeyCheck(const LibSsh& library, ssh_session session, const SshTarget& target)
      : library_(library), session_(session), target_(target) {}

  Expected<void> run() {
    shown_ = shown_key(library_, session_);
    file_ = known_hosts_file(library_, session_);
    marked_ = load_marked_keys(file_);
    if (is_revoked()) {
      return distrust(fmt::format("the host key of {} is revoked in known_hosts: {} {}", target_.host,
                                  shown_.type, shown_.fingerprint),
                      "do not connect; ask the host's administrator for its new key");
    }
    return judge(library_.ssh_session_is_known_server(session_));
  }

 private:
  [[nodiscard]] bool is_revoked() const {
    return !shown_.base64.empty() && std::ranges::any_of(marked_, [this](const MarkedKey& key) {
      return key.marker == "@revoked" && key.key == shown_.base64;
    });
  }

  [[nodiscard]] Expected<void> judge(ssh_known_hosts_e knowledge) const {
    switch (knowledge) {
      case SSH_KNOWN_HOSTS_OK:
        return {};
      case SSH_KNOWN_HOSTS_CHANGED:
      case SSH_KNOWN_HOSTS_OTHER:
        return refuse_changed();
      case SSH_KNOWN_HOSTS_UNKNOWN:
      case SSH_KNOWN_HOSTS_NOT_FOUND:
        return target_.host_keys == HostKeyPolicy::accept_new ? accept() : refuse_unknown();
      case SSH_KNOWN_HOSTS_ERROR:
        break;
    }
    return distrust(fmt::format("the host key of {} cannot be looked up: {}", target_.host,
                                library_.ssh_get_error(session_)),
                    "is " + file_ + " readable?");
  }

  [[nodiscard]] Expected<void> refuse_changed() const {
    const std::string known = known_fingerprints(library_, file_, name_in_known_hosts(target_));
    return distrust(
        fmt::format("the host key of {} has changed: the host has {} {}, known_hosts has {}", target_.host,
                    shown_.type, shown_.fingerprint, known.empty() ? "another" : known),
        fmt::format("this may be an attack. Ask the host's administrator; if the new key is right: "
                    "ssh-keygen -f {} -R '{}'",
                    file_, name_in_known_hosts(target_)));
  }

  [[nodiscard]] Expected<void> refuse_unknown() const {
    const bool has_authority =
        std::ranges::any_of(marked_, [](const MarkedKey& key) { return key.marker == "@cert-authority"; });
    return distrust(
        fmt::format("the host key of {} is unknown: {} {}", target_.host, shown_.type, shown_.fingerprint),
        (has_authority ? "known_hosts has a certificate authority, which ddpsubmit does not support. " : "") +
            fmt::format("compare it with the key on the host; if they are the same, use "
                        "--accept-new-host-keys, or connect once with: ssh {}",
                        target_.host));
  }

  [[nodiscard]] Expected<void> accept() const {
    static std::mutex file_of_known_hosts;
    const std::lock_guard lock(file_of_known_hosts);
    if (library_.ssh_session_update_known_hosts(session_) == SSH_OK) return {};
    return distrust(
        fmt::format("the host key of {} cannot be saved: {}", target_.host, library_.ssh_get_error(session_)),
        "is " + file_ + " writable?");
  }

  const LibSsh& library_;
  ssh_session session_;
  const SshTarget& target_;
  ShownKey shown_;
  std::string file_;  ///< of known hosts, the user's
  std::vector<MarkedKey> marked_;
};

}  // namespace

std::vector<MarkedKey> parse_marked_keys(std::string_view known_hosts) {
  std::vector<MarkedKey> keys;
  std::istringstream lines{std::string(known_hosts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hosts;
    std::string type;
    MarkedKey key;
    if (words >> key.marker >> hosts >> type >> key.key && key.marker.starts_with('@')) keys.push_back(key);
  }
  return keys;
}

Expected<void> check_host_key(const LibSsh& library, ssh_session session, const SshTarget& target) {
  return HostKeyCheck(library, session, target).run();
}

}  // namespace ddp::cli
