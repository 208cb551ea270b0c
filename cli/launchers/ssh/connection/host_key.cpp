#include "cli/launchers/ssh/connection/host_key.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <system_error>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

/// libssh splits lines with strtok, which is one for all threads.
std::mutex line_parser;
/// Each host adds its line whole.
std::mutex writer;

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

std::string type_of(const LibSsh& library, ssh_key key) {
  const char* type = library.ssh_key_type_to_char(library.ssh_key_type(key));
  return type == nullptr ? "" : type;
}

/// The names that a host may have in known_hosts, the best first: OpenSSH takes a line without the port, too.
std::vector<std::string> names_of(const SshSettings& settings) {
  if (!settings.key_alias.empty()) return {settings.key_alias};
  std::string name = settings.hostname;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (settings.port == 22) return {name};
  return {fmt::format("[{}]:{}", name, settings.port), name};
}

std::vector<MarkedKey> load_marked_keys(const std::vector<std::string>& files) {
  std::vector<MarkedKey> keys;
  for (const auto& file : files) {
    const auto more = parse_marked_keys(load_file(file).value_or(""));
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

tl::unexpected<Error> distrust(std::string message, std::string hint) {
  return fail(ExitCode::authentication, std::move(message), std::move(hint));
}

/// Whether a host can make such a signature with a key of this type.
bool is_signature_of(const std::string& signature, const std::string& type) {
  return signature == type || (type == "ssh-rsa" && signature.starts_with("rsa-sha2-"));
}

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream text(list);
  for (std::string item; std::getline(text, item, ',');) items.push_back(item);
  return items;
}

/// Adds a line to a file that may be missing, or end without a newline. The errno, or 0.
int append_line(const std::string& file, std::string line) {
  std::error_code error;
  const auto folder = std::filesystem::path(file).parent_path();
  if (std::filesystem::create_directory(folder, error))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  const std::string before = load_file(file).value_or("");
  if (!before.empty() && before.back() != '\n') line.insert(0, 1, '\n');
  FileDescriptor opened(open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!opened.is_open()) return errno;
  if (const int failed = write_all(opened.get(), line); failed != 0) return failed;
  return opened.close();
}

}  // namespace

KnownKeys::KnownKeys(const LibSsh& library, const SshSettings& settings)
    : library_(library), settings_(settings), files_(settings.known_hosts) {
  files_.insert(files_.end(), settings.shared_known_hosts.begin(), settings.shared_known_hosts.end());
  const auto names = names_of(settings);
  name_ = names.front();
  keys_ = find_keys(name_);
  if (names.size() > 1) keys_without_port_ = find_keys(names.back());
}

std::vector<KnownKeys::Key> KnownKeys::find_keys(const std::string& name) const {
  std::vector<Key> keys;
  for (const auto& file : files_) {
    std::istringstream lines(load_file(file).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      std::ranges::replace(line, '\t', ' ');
      const std::lock_guard lock(line_parser);
      if (is_excluded(name, line)) continue;
      ssh_knownhosts_entry* entry = nullptr;
      if (library_.ssh_known_hosts_parse_line(name.c_str(), line.c_str(), &entry) != SSH_OK) continue;
      const ssh_key key = entry->publickey;
      keys.push_back({type_of(library_, key), base64_of(library_, key), fingerprint_of(library_, key), file});
      library_.ssh_knownhosts_entry_free(entry);
    }
  }
  return keys;
}

/// libssh passes over the "!node1" of "!node1,node*".
bool KnownKeys::is_excluded(const std::string& name, const std::string& line) const {
  const std::size_t end = line.find(' ');
  if (end == std::string::npos || line.find('!') >= end) return false;
  return std::ranges::any_of(split_at_commas(line.substr(0, end)), [&](const std::string& pattern) {
    ssh_knownhosts_entry* entry = nullptr;
    const std::string alone = pattern.substr(std::min<std::size_t>(1, pattern.size())) + line.substr(end);
    if (!pattern.starts_with('!') ||
        library_.ssh_known_hosts_parse_line(name.c_str(), alone.c_str(), &entry) != SSH_OK)
      return false;
    library_.ssh_knownhosts_entry_free(entry);
    return true;
  });
}

std::string KnownKeys::preferred_types() const {
  auto types = split_at_commas(settings_.host_key_types);
  const auto is_known = [&](const std::string& type) {
    const auto fits = [&](const Key& key) { return is_signature_of(type, key.type); };
    return std::ranges::any_of(keys_, fits) ||
           (keys_.empty() && std::ranges::any_of(keys_without_port_, fits));
  };
  std::ranges::stable_partition(types, is_known);
  return fmt::format("{}", fmt::join(types, ","));
}

/// A list of keys as text; the binary form is ssh-keygen's own.
Expected<void> KnownKeys::check_revoked(const Key& shown) const {
  const auto marked = load_marked_keys(files_);
  bool revoked = std::ranges::any_of(
      marked, [&](const MarkedKey& key) { return key.marker == "@revoked" && key.key == shown.base64; });
  if (const auto& file = settings_.revoked_host_keys; !file.empty()) {
    const auto text = load_file(file);
    if (!text || text->starts_with("SSHKRL"))
      return distrust(settings_.name + ": RevokedHostKeys '" + file + "' cannot be read here",
                      "ddpsubmit reads a list of public keys, and not one of ssh-keygen -k");
    revoked = revoked || text->find(shown.base64) != std::string::npos;
  }
  if (!revoked) return {};
  return distrust(fmt::format("the host key of {} is revoked in known_hosts: {} {}", settings_.name,
                              shown.type, shown.fingerprint),
                  "do not connect; ask the host's administrator for its new key");
}

KnownKeys::Key KnownKeys::shown_key(ssh_session session) const {
  ssh_key key = nullptr;
  if (library_.ssh_get_server_publickey(session, &key) != SSH_OK) return {};
  Key shown{type_of(library_, key), base64_of(library_, key), fingerprint_of(library_, key), {}};
  library_.ssh_key_free(key);
  return shown;
}

Expected<void> KnownKeys::check(ssh_session session, HostKeyPolicy policy) const {
  const Key shown = shown_key(session);
  if (shown.base64.empty()) return distrust(settings_.name + ": it has shown no key that can be read", "");
  if (auto good = check_revoked(shown); !good) return good;
  for (const auto* keys : {&keys_, &keys_without_port_})
    if (std::ranges::find(*keys, shown.base64, &Key::base64) != keys->end()) return {};
  if (!keys_.empty()) return refuse_changed(shown);
  return policy == HostKeyPolicy::accept_new || settings_.accepts_new_keys ? accept(shown)
                                                                           : refuse_unknown(shown);
}

Expected<void> KnownKeys::refuse_changed(const Key& shown) const {
  std::string known;
  for (const auto& key : keys_) known += (known.empty() ? "" : ", ") + key.type + " " + key.fingerprint;
  return distrust(fmt::format("the host key of {} has changed: the host has {} {}, known_hosts has {}",
                              settings_.name, shown.type, shown.fingerprint, known),
                  fmt::format("this may be an attack. Ask the host's administrator; if the new key is right: "
                              "ssh-keygen -f {} -R '{}'",
                              keys_.front().file, name_));
}

Expected<void> KnownKeys::refuse_unknown(const Key& shown) const {
  const auto marked = load_marked_keys(files_);
  const bool has_authority =
      std::ranges::any_of(marked, [](const MarkedKey& key) { return key.marker == "@cert-authority"; });
  return distrust(
      fmt::format("the host key of {} is unknown: {} {}", settings_.name, shown.type, shown.fingerprint),
      (has_authority ? "known_hosts has a certificate authority, which ddpsubmit does not support. " : "") +
          fmt::format("compare it with the key on the host; if they are the same, use "
                      "--accept-new-host-keys, or connect once with: {} true",
                      settings_.by_hand));
}

Expected<void> KnownKeys::accept(const Key& shown) const {
  if (settings_.known_hosts.empty())
    return distrust("the host key of " + settings_.name + " cannot be saved: UserKnownHostsFile is 'none'",
                    "name a file there");
  const std::string& file = settings_.known_hosts.front();
  const std::lock_guard lock(writer);
  const int error = append_line(file, fmt::format("{} {} {}\n", name_, shown.type, shown.base64));
  if (error == 0) return {};
  return distrust(fmt::format("the host key of {} cannot be saved: {}", settings_.name,
                              std::generic_category().message(error)),
                  "is " + file + " writable?");
}

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

}  // namespace ddp::cli
