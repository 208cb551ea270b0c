#include "cli/launchers/ssh/connection/user_keys.hpp"

#include <fmt/ranges.h>
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
    const int without = library_.ssh_userauth_none(session_, user());
    if (without == SSH_AUTH_SUCCESS) return {};
    if (is_over(without)) return refuse_closed();
    agent_ = AgentKeys::open(settings_.agent_socket);
    for (const Candidate& candidate : find_candidates()) {
      if (candidate.base64.empty() && candidate.in_agent == nullptr && !load_private(candidate.file)) {
        locked_ = candidate.file;
        continue;
      }
      tried_.push_back(candidate.name);
      const int result = candidate.in_agent != nullptr ? try_agent(candidate) : try_file(candidate);
      if (result == SSH_AUTH_SUCCESS) return {};
      if (result == SSH_AUTH_PARTIAL) return refuse_more_factors(candidate);
      if (is_over(result)) return refuse_closed();
    }
    return unusable_ ? tl::unexpected(*unusable_) : refuse();
  }

 private:
  /// The connection has ended, or the host has not answered in time: its answer would be taken for one to the
  /// next question.
  static bool is_over(int result) { return result == SSH_AUTH_ERROR || result == SSH_AUTH_AGAIN; }

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

  /// Null where the file is missing, or needs a passphrase.
  [[nodiscard]] Key load_private(const std::string& file) const {
    ssh_key key = nullptr;
    // Without a function that refuses, OpenSSL asks the person for the passphrase of a PEM file.
    const auto ask_nobody = [](const char*, char*, std::size_t, int, int, void*) { return -1; };
    const int read = library_.ssh_pki_import_privkey_file(file.c_str(), nullptr, ask_nobody, nullptr, &key);
    return wrap(read == SSH_OK ? key : nullptr);
  }

  [[nodiscard]] const AgentKey* find_in_agent(const std::string& base64) const {
    if (!agent_ || base64.empty()) return nullptr;
    const auto& keys = agent_->keys();
    const auto found =
        std::ranges::find(keys, base64, [](const auto& key) { return encode_base64(key.blob); });
    return found == keys.end() ? nullptr : &*found;
  }

  /// Without a private key a file is good for finding the key in the agent only.
  void add_files(const std::vector<std::string>& files, std::vector<Candidate>& candidates) const {
    for (const auto& file : files) {
      Candidate candidate{.name = file, .file = file, .base64 = base64_of(library_, load_public(file).get())};
      candidate.in_agent = find_in_agent(candidate.base64);
      const bool is_new =
          candidate.base64.empty() ||
          std::ranges::find(candidates, candidate.base64, &Candidate::base64) == candidates.end();
      if (is_new && (candidate.in_agent != nullptr || (is_file(file) && !file.ends_with(".pub"))))
        candidates.push_back(std::move(candidate));
    }
  }

  [[nodiscard]] std::vector<Candidate> find_candidates() const {
    std::vector<Candidate> candidates;
    add_files(settings_.named_identities, candidates);
    if (agent_ && !settings_.identities_only) {
      for (const AgentKey& key : agent_->keys()) {
        const auto base64 = encode_base64(key.blob);
        if (std::ranges::find(candidates, base64, &Candidate::base64) == candidates.end())
          candidates.push_back({key.comment + " of the ssh agent", "", base64, find_in_agent(base64)});
      }
    }
    add_files(settings_.default_identities, candidates);
    return candidates;
  }

  [[nodiscard]] const char* user() const { return settings_.user.c_str(); }

  [[nodiscard]] int try_agent(const Candidate& candidate) {
    if (agent_->lend(library_, session_, *candidate.in_agent))
      return library_.ssh_userauth_agent(session_, user());
    return remember({ExitCode::authentication,
                     settings_.name + ": this machine has no room to ask the ssh agent for its keys",
                     "raise the limits on processes and open files (ulimit -u, -n)"});
  }

  /// The public key first: the host says whether it would take it.
  [[nodiscard]] int try_file(const Candidate& candidate) {
    Key shown = load_public(candidate.file);
    if (!shown) {
      ssh_key key = nullptr;
      library_.ssh_pki_export_privkey_to_pubkey(load_private(candidate.file).get(), &key);
      shown = wrap(key);
    }
    const int result = library_.ssh_userauth_try_publickey(session_, user(), shown.get());
    if (result != SSH_AUTH_SUCCESS) return result;
    if (const auto mode = open_mode(candidate.file)) return refuse_open(candidate, *mode);
    const Key key = load_private(candidate.file);
    return key ? library_.ssh_userauth_publickey(session_, user(), key.get()) : refuse_locked(candidate);
  }

  /// Of several such keys the first is told, if no other one is taken.
  int remember(Error error) {
    if (!unusable_) unusable_ = std::move(error);
    return SSH_AUTH_DENIED;
  }

  int refuse_open(const Candidate& candidate, unsigned mode) {
    return remember({ExitCode::authentication,
                     fmt::format("{}: others can read the private key '{}' (mode {:04o}), so it is not used",
                                 settings_.name, candidate.file, mode),
                     "close it: chmod 600 " + quote_for_shell(candidate.file)});
  }

  int refuse_locked(const Candidate& candidate) {
    return remember(
        {ExitCode::authentication, describe_locked(candidate.file), advise_on_locked(candidate.file)});
  }

  [[nodiscard]] std::string describe_locked(const std::string& file) const {
    return fmt::format("{}: the key '{}' has a passphrase, and the ssh agent does not hold it",
                       settings_.name, file);
  }

  [[nodiscard]] std::string advise_on_locked(const std::string& file) const {
    return "give it to the ssh agent: ssh-add " + quote_for_shell(file) +
           (agent_ ? "" : "; none is running here: eval \"$(ssh-agent)\"");
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
        fmt::format("{}: it closed the connection, or did not answer, after {} keys ({}): {}", settings_.name,
                    tried_.size(), fmt::join(tried_, ", "), library_.ssh_get_error(session_)),
        "name the right key: ssh.identity_file, or IdentityFile and 'IdentitiesOnly yes' in ~/.ssh/config");
  }

  [[nodiscard]] std::string methods() const {
    constexpr std::pair<unsigned, const char*> kNames[] = {
        {SSH_AUTH_METHOD_PUBLICKEY, "publickey"},
        {SSH_AUTH_METHOD_PASSWORD, "password"},
        {SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"},
        {SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"},
        {SSH_AUTH_METHOD_HOSTBASED, "hostbased"}};
    const auto accepted = static_cast<unsigned>(library_.ssh_userauth_list(session_, user()));
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
    if ((static_cast<unsigned>(library_.ssh_userauth_list(session_, user())) & SSH_AUTH_METHOD_PUBLICKEY) ==
        0) {
      return fail(ExitCode::authentication, who + " cannot log in with a key, only with: " + methods(),
                  "ddpsubmit asks for no password: set 'PubkeyAuthentication yes' in the host's sshd_config");
    }
    if (!locked_.empty() && tried_.empty())
      return fail(ExitCode::authentication, describe_locked(locked_), advise_on_locked(locked_));
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
  std::string locked_;             ///< a key file whose public key nobody can read without its passphrase
  std::optional<Error> unusable_;  ///< a key that the host would take
};

}  // namespace

Expected<void> authenticate(const LibSsh& library, ssh_session session, const SshSettings& settings) {
  return Authentication(library, session, settings).run();
}

}  // namespace ddp::cli
