#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "cli/launchers/ssh/connection/host_key.hpp"
#include "cli/launchers/ssh/connection/libssh_api.hpp"
#include "cli/launchers/ssh/connection/ssh_settings.hpp"
#include "cli/launchers/ssh/connection/ssh_target.hpp"

namespace ddp::cli {

/// A session with one host, which has shown a key that is known and has taken one of the user's; and one
/// command that runs there. Never asks for anything: a passphrase, a password, a host key. One thread at a
/// time.
class SshConnection {
 public:
  /// Blocks. ExitCode::authentication: the host's key, or the user's; preflight_failed: it does not answer.
  [[nodiscard]] static Expected<std::unique_ptr<SshConnection>> open(const SshTarget& target,
                                                                     CommandRunner& runner,
                                                                     const EnvMap& environment);
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;
  ~SshConnection();

  /// What the login shell is told to run; once.
  [[nodiscard]] Expected<void> start(const std::string& command);
  [[nodiscard]] Expected<void> write(std::string_view text);
  /// Whether the time for a line begins anew with each part of it.
  enum class Patience { renewed, fixed };
  /// The next line that the command prints, without its end. Errors: it prints no more (with the last of its
  /// stderr), or nothing for `timeout`.
  [[nodiscard]] Expected<std::string> read_line(std::chrono::milliseconds timeout, Patience patience);
  /// The next `count` bytes. Errors: they end before that, or none come for `timeout`.
  [[nodiscard]] Expected<std::string> read_bytes(std::size_t count, std::chrono::milliseconds timeout);
  /// Whether the last line did not come in time.
  [[nodiscard]] bool is_silent() const { return is_silent_; }
  /// The error for a login shell that runs nothing.
  [[nodiscard]] tl::unexpected<Error> refuse_silent_shell(std::chrono::seconds patience) const;
  /// What explains an end that leaves nothing on stderr.
  void set_last_words(std::string words) { last_words_ = std::move(words); }

 private:
  SshConnection(const LibSsh& library, const SshTarget& target, SshSettings settings)
      : library_(library), target_(target), settings_(std::move(settings)) {}
  [[nodiscard]] Expected<void> connect();
  /// To a numeric address, or by way of the proxy, which finds the host itself.
  [[nodiscard]] Expected<void> connect_to(const std::string& address, const KnownKeys& known);
  [[nodiscard]] bool set_options(const std::string& address, const KnownKeys& known);
  [[nodiscard]] tl::unexpected<Error> failed(ExitCode code, const std::string& what,
                                             std::string hint = {}) const;
  [[nodiscard]] Expected<void> read_more(std::chrono::milliseconds timeout);
  void read_errors();
  [[nodiscard]] std::string advice_for_shell() const;
  [[nodiscard]] std::string words() const;

  const LibSsh& library_;
  SshTarget target_;
  SshSettings settings_;
  ssh_session session_ = nullptr;
  ssh_channel channel_ = nullptr;
  std::string incoming_;
  std::string last_words_;
  std::string errors_;  ///< the end of stderr
  bool is_silent_ = false;
};

}  // namespace ddp::cli
