#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "cli/launchers/ssh/connection/remote_agent.hpp"
#include "cli/launchers/ssh/connection/ssh_target.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::cli {

/// A file of this machine, and how much of it is sent: all that there was when it was looked at.
struct Content {
  std::filesystem::path file;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;                               ///< what comes before it is not sent
  std::function<void(std::uint64_t bytes)> on_sent = {};  ///< called after each part of it
};

/// `ddp-agent remote` on an ssh host. One thread at a time.
class RemoteHost {
 public:
  virtual ~RemoteHost() = default;
  [[nodiscard]] virtual const remote::Greeting& greeting() const = 0;
  /// Blocks until the answer is there. A Refused is an error that names the host; ExitCode::outcome_unknown:
  /// nobody can tell whether it was done.
  [[nodiscard]] virtual Expected<remote::Answer> ask(const remote::Request& request) = 0;
  /// The same with the bytes of `content` behind the request.
  [[nodiscard]] virtual Expected<remote::Answer> ask_with(const remote::Request& request,
                                                          const Content& content) = 0;
  /// The bytes that the host has sent; fewer than asked for where the file ends.
  [[nodiscard]] virtual Expected<std::string> ask_for_bytes(const remote::SendFile& request) = 0;
};

/// Makes connections to hosts. Thread-safe.
class HostConnector {
 public:
  virtual ~HostConnector() = default;
  /// Blocks.
  [[nodiscard]] virtual Expected<std::unique_ptr<RemoteHost>> connect(const SshTarget& target,
                                                                      const RemoteAgent& agent) = 0;
};

/// Says what takes long. Called by several threads.
using SshNote = std::function<void(const std::string& line)>;

/// By ssh; `runner` is for the program that tells its settings. `marker` is what answers begin with: a word
/// that no login prints.
class SshConnector final : public HostConnector {
 public:
  SshConnector(CommandRunner& runner, const EnvMap& environment, std::string marker, SshNote note)
      : runner_(runner), environment_(environment), marker_(std::move(marker)), note_(std::move(note)) {}
  [[nodiscard]] Expected<std::unique_ptr<RemoteHost>> connect(const SshTarget& target,
                                                              const RemoteAgent& agent) override;

 private:
  CommandRunner& runner_;
  EnvMap environment_;  ///< of ddpsubmit
  std::string marker_;
  SshNote note_;
};

/// What a shell of any host is given to read: becomes the agent, or says that there is none, or asks for its
/// bytes. Pure.
[[nodiscard]] std::string render_remote_script(const RemoteAgent& agent, const std::string& marker);

/// The answer of the kind that was asked for; an error names the host that said something else.
template <class Kind>
[[nodiscard]] Expected<Kind> ask_for(RemoteHost& host, const std::string& name,
                                     const remote::Request& request) {
  auto answer = host.ask(request);
  if (!answer) return tl::unexpected(answer.error());
  if (auto* wanted = std::get_if<Kind>(&*answer)) return std::move(*wanted);
  return fail(ExitCode::outcome_unknown, name + ": an answer to another question");
}

}  // namespace ddp::cli
