#include "cli/launchers/ssh/connection/user_keys.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "cli/launchers/ssh/connection/agent_keys.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/record/files/base64.hpp"

namespace ddp::cli {
namespace {

struct KeyDeleter {
  const LibSsh* library;
  void operator()(ssh_key key) const { library->ssh_key_free(key); }
};
using Key = std::unique_ptr<ssh_key_struct, KeyDeleter>;

/// A key that the user has: in the agent, in a file, or in both.
struct Candidate {
  std::string name;                    ///< of its file, or its comment in the agent
  std::string file;                    ///< the private key; empty: it is in the agent only
  std::string base64;                  ///< the public key; empty: the file alone does not tell it
  const AgentKey* in_agent = nullptr;  ///< it signs
};

bool is_file(const std::string& path) {
  struct stat state {};
  return stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode);
}

/// The mode of a private key of this user that others can read: ssh does not use it either.
std::optional<unsigned> open_mode(const std::string& file) {
  struct stat state {};
  if (stat(file.c_str(), &state) != 0 || state.st_uid != getuid() || (state.st_mode & 077) == 0) return {};
  return state.st_mode & 0777;
}

class Authentication {
 public:
  Authentication(const LibSsh& library, ssh_session session, const SshSettings& settings)
      : library_(library), session_(session), settings_(settings) {}

  Expected<void> run() {
    if (library_.ssh_userauth_none(session_, nullptr) == SSH_AUTH_SUCCESS) return {};
    agent_ = AgentKeys::open(settings_.agent_socket);
    for (const Candidate& candidate : find_candidates()) {
      if (candidate.base64.empty() && candidate.in_agent == nullptr && !can_be_read(candidate)) continue;
      tried_.push_back(candidate.name);
      const int result = candidate.in_agent != nullptr ? try_agent(candidate) : try_file(candidate);
      if (result == SSH_AUTH_SUCCESS) return {};
      if (result == SSH_AUTH_PARTIAL) return refuse_more_factors(candidate);
      if (unusable_) return tl::unexpected(*unusable_);
      if (result == SSH_AUTH_ERROR) return refuse_closed();
    }
    return refuse();
  }

 private:
  [[nodiscard]] Key wrap(ssh_key key) const { return Key(key, {&library_}); }

  [[nodiscard]] Key load_public(const std::string& file) const {
    ssh_key key = nullptr;
    const std::string beside = file.ends_with(".pub") ? file : file + ".pub";
    for (const auto& path : {beside, file}) {
      // A private key of OpenSSH's own format has its public key in front of what a passphrase protects.
      if (library_.ssh_pki_import_pubkey_file(path.c_str(), &key) == SSH_OK) return wrap(key);
    }
    return wrap(nullptr);
  }

  /// Empty: there is no such file, or it has a passphrase.
  [[nodiscard]] Key load_private(const std::string& file) const {
    ssh_key key = nullptr;
    const int read = library_.ssh_pki_import_privkey_file(file.c_str(), nullptr, nullptr, nullptr, &key);
    return wrap(read == SSH_OK ? key : nullptr);
  }

  [[nodiscard]] std::string base64_of(const Key& key) const {
    char* text = nullptr;
    if (key == nullptr || library_.ssh_pki_export_pubkey_base64(key.get(), &text) != SSH_OK) return {};
    std::string base64 = text;
    library_.ssh_string_free_char(text);
    return base64;
  }

  [[nodiscard]] const AgentKey* find_in_agent(const std::string& base64) const {
    if (!agent_ || base64.empty()) return nullptr;
    const auto& keys = agent_->keys();
    const auto found =
        std::ranges::find(keys, base64, [](const auto& key) { return encode_base64(key.blob); });
    return found == keys.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::vector<Candidate> find_candidates() {
    std::vector<Candidate> files;
    for (const auto& file : settings_.identity_files) {
      Candidate candidate{.name = file, .file = file, .base64 = base64_of(load_public(file))};
      candidate.in_agent = find_in_agent(candidate.base64);
      // Without a private key it is good for finding the key in the agent only.
      if (candidate.in_agent != nullptr || (is_file(file) && !file.ends_with(".pub")))
        files.push_back(std::move(candidate));
    }
    std::vector<Candidate> others;
    for (const AgentKey& key :
         agent_ && !settings_.identities_only ? agent_->keys() : std::vector<AgentKey>()) {
      const auto base64 = encode_base64(key.blob);
      if (std::ranges::find(files, base64, &Candidate::base64) == files.end())
        others.push_back({key.comment + " of the ssh agent", "", base64, find_in_agent(base64)});
    }
    const auto of_agent = [](const Candidate& candidate) { return candidate.in_agent != nullptr; };
    const auto first_to_wait = settings_.names_identities
                                   ? files.end()
                                   : std::stable_partition(files.begin(), files.end(), of_agent);
    files.insert(first_to_wait, others.begin(), others.end());
    return files;
  }

  [[nodiscard]] bool can_be_read(const Candidate& candidate) {
    if (load_private(candidate.file)) return true;
    locked_ = candidate.file;
    return false;
  }

  [[nodiscard]] int try_agent(const Candidate& candidate) {
    agent_->lend(library_, session_, *candidate.in_agent);
    return library_.ssh_userauth_agent(session_, nullptr);
  }

  /// The public key first: the host says whether it would take it.
  [[nodiscard]] int try_file(const Candidate& candidate) {
    Key shown = load_public(candidate.file);
    if (!shown) {
      ssh_key key = nullptr;
      library_.ssh_pki_export_privkey_to_pubkey(load_private(candidate.file).get(), &key);
      shown = wrap(key);
    }
    const int result = library_.ssh_userauth_try_publickey(session_, nullptr, shown.get());
    if (result != SSH_AUTH_SUCCESS) return result;
    if (const auto mode = open_mode(candidate.file)) return refuse_open(candidate, *mode);
    const Key key = load_private(candidate.file);
    return key ? library_.ssh_userauth_publickey(session_, nullptr, key.get()) : refuse_locked(candidate);
  }

  int refuse_open(const Candidate& candidate, unsigned mode) {
    unusable_ = {ExitCode::authentication,
                 fmt::format("{}: others can read the private key '{}' (mode {:04o}), so it is not used",
                             settings_.name, candidate.file, mode),
                 "close it: chmod 600 " + quote_for_shell(candidate.file)};
    return SSH_AUTH_DENIED;
  }

  int refuse_locked(const Candidate& candidate) {
    unusable_ = {ExitCode::authentication,
                 fmt::format("{}: the key '{}' has a passphrase, and the ssh agent does not hold it",
                             settings_.name, candidate.file),
                 "give it to the ssh agent: ssh-add " + quote_for_shell(candidate.file) +
                     (agent_ ? "" : "; none is running here: eval \"$(ssh-agent)\"")};
    return SSH_AUTH_DENIED;
  }

  [[nodiscard]] tl::unexpected<Error> refuse_more_factors(const Candidate& candidate) const {
    return fail(ExitCode::authentication,
                fmt::format("{}: it takes the key {}, and wants another proof, too: {}", settings_.name,
                            candidate.name, methods()),
                "ddpsubmit asks for nothing: use a user for whom a key is enough");
  }

  [[nodiscard]] tl::unexpected<Error> refuse_closed() const {
    return fail(
        ExitCode::authentication,
        fmt::format("{}: it closed the connection after {} keys: {}: {}", settings_.name, tried_.size(),
                    fmt::join(tried_, ", "), library_.ssh_get_error(session_)),
        "name the right key: ssh.identity_file, or IdentityFile and 'IdentitiesOnly yes' in ~/.ssh/config");
  }

  [[nodiscard]] std::string methods() const {
    constexpr std::pair<unsigned, const char*> kNames[] = {
        {SSH_AUTH_METHOD_PUBLICKEY, "publickey"},
        {SSH_AUTH_METHOD_PASSWORD, "password"},
        {SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"},
        {SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"},
        {SSH_AUTH_METHOD_HOSTBASED, "hostbased"}};
    const auto accepted = static_cast<unsigned>(library_.ssh_userauth_list(session_, nullptr));
    std::vector<std::string> names;
    for (const auto& [bit, name] : kNames)
      if ((accepted & bit) != 0) names.emplace_back(name);
    return names.empty() ? "nothing that ddpsubmit knows" : fmt::format("{}", fmt::join(names, ", "));
  }

  [[nodiscard]] std::string copy_id() const {
    return "install your key there once: ssh-copy-id " + settings_.by_hand.substr(4);
  }

  [[nodiscard]] tl::unexpected<Error> refuse() const {
    const std::string who = fmt::format("{}: user {}", settings_.name, settings_.user);
    if ((static_cast<unsigned>(library_.ssh_userauth_list(session_, nullptr)) & SSH_AUTH_METHOD_PUBLICKEY) ==
        0) {
      return fail(ExitCode::authentication, who + " cannot log in with a key, only with: " + methods(),
                  "ddpsubmit asks for no password: set 'PubkeyAuthentication yes' in the host's sshd_config");
    }
    if (!locked_.empty()) {
      return fail(ExitCode::authentication,
                  fmt::format("{}: the key '{}' has a passphrase, and the ssh agent does not hold it",
                              settings_.name, locked_),
                  "give it to the ssh agent: ssh-add " + quote_for_shell(locked_));
    }
    if (tried_.empty()) {
      return fail(
          ExitCode::authentication, who + " has no key to show: none in ~/.ssh, none in the ssh agent",
          "make one with ssh-keygen, and " + copy_id() + "; or set ssh.identity_file, or use ssh-add");
    }
    return fail(ExitCode::authentication,
                fmt::format("{}: no key is accepted for user {}; tried {}", settings_.name, settings_.user,
                            fmt::join(tried_, ", ")),
                copy_id() + "; or set ssh.identity_file or ssh.user, or add the right key with ssh-add");
  }

  const LibSsh& library_;
  ssh_session session_;
  const SshSettings& settings_;
  std::unique_ptr<AgentKeys> agent_;
  std::vector<std::string> tried_;
  std::string locked_;             ///< a key file that nobody could read
  std::optional<Error> unusable_;  ///< a key that the host would take
};

}  // namespace

Expected<void> authenticate(const LibSsh& library, ssh_session session, const SshSettings& settings) {
  return Authentication(library, session, settings).run();
}

}  // namespace ddp::cli
