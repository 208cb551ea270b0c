#include "cli/launchers/ssh/connection/remote_host.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include "cli/launchers/ssh/connection/push_script.hpp"
#include "cli/launchers/ssh/connection/ssh_connection.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

/// Of a login: its start-up files may take a while. ssh.connect_timeout may allow more.
constexpr std::chrono::seconds kGreetingPatience{10};
/// Of a shell that has ended: what it said is there already, or never comes.
constexpr std::chrono::seconds kReasonPatience{1};
/// A head has to make its folder's records durable before it answers.
constexpr std::chrono::seconds kAnswerPatience{60};
/// For the last of the bytes to arrive, and to be written to a disk.
constexpr std::chrono::seconds kContentPatience{600};
constexpr std::size_t kContentChunk = 1u << 20;
constexpr std::size_t kKeptWords = 200;

/// A shell that every login shell starts alike; what it is to do comes on its stdin, where nobody sees it.
constexpr const char* kShell = "exec /bin/sh -s";

class SshRemoteHost final : public RemoteHost {
 public:
  SshRemoteHost(std::unique_ptr<SshConnection> connection, SshTarget target, std::string marker)
      : connection_(std::move(connection)), target_(std::move(target)), marker_(std::move(marker)) {}

  Expected<void> begin(const RemoteAgent& agent);
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request& request) override;
  [[nodiscard]] Expected<remote::Answer> ask_with(const remote::Request& request,
                                                  const Content& content) override;

 private:
  [[nodiscard]] Expected<void> write_content(const Content& content);
  [[nodiscard]] Expected<remote::Answer> read_answer(std::chrono::seconds patience);

  std::unique_ptr<SshConnection> connection_;
  SshTarget target_;
  std::string marker_;
  remote::Greeting greeting_;
};

Expected<void> SshRemoteHost::begin(const RemoteAgent& agent) {
  if (auto started = connection_->start(kShell); !started) return started;
  const auto sent = connection_->write(render_remote_script(agent, marker_));
  // A shell that has ended takes no script; what it said tells why.
  const auto patience = std::max(kGreetingPatience, target_.timeout);
  auto answer = read_answer(sent ? patience : kReasonPatience);
  if (!answer && answer.error().code == ExitCode::outcome_unknown && !connection_->has_ended())
    return connection_->refuse_silent_shell(patience);
  if (answer && std::holds_alternative<remote::AgentWanted>(*answer)) {
    const auto written = write_content({agent.path, agent.push->size});
    answer = read_answer(kContentPatience);
    // A host that could not keep the bytes says why; else what broke first counts.
    if (!written && !answer && answer.error().code != ExitCode::run_failed)
      answer = tl::unexpected(written.error());
  }
  if (answer && std::holds_alternative<remote::Greeting>(*answer)) {
    greeting_ = std::get<remote::Greeting>(std::move(*answer));
    return {};
  }
  const bool refused = !answer && answer.error().code == ExitCode::run_failed;
  Error error =
      answer ? Error{ExitCode::preflight_failed, target_.host + ": its ddp-agent does not answer as expected"}
             : std::move(answer.error());
  error.code = ExitCode::preflight_failed;  // nothing was asked for yet
  if (!agent.push && refused)
    error.hint = "share the folder of ddpsubmit with the hosts, or have the programs copied: ssh.stage: push";
  if (agent.push && refused)
    error.hint = "set ssh.push_folder to a folder that this user, and nobody else, can write to on all hosts";
  return tl::unexpected(std::move(error));
}

Expected<remote::Answer> SshRemoteHost::ask(const remote::Request& request) {
  if (auto written = connection_->write(remote::render_request(request) + "\n"); !written)
    return tl::unexpected(written.error());
  const bool looks_only =
      std::holds_alternative<remote::SendSignal>(request) || std::holds_alternative<remote::ReadRun>(request);
  return read_answer(looks_only ? target_.timeout : kAnswerPatience);
}

Expected<remote::Answer> SshRemoteHost::ask_with(const remote::Request& request, const Content& content) {
  if (auto written = connection_->write(remote::render_request(request) + "\n"); !written)
    return tl::unexpected(written.error());
  if (auto written = write_content(content); !written) return tl::unexpected(written.error());
  return read_answer(kContentPatience);
}

Expected<void> SshRemoteHost::write_content(const Content& content) {
  std::ifstream file(content.file, std::ios::binary);
  std::vector<char> buffer(kContentChunk);
  for (std::uint64_t left = content.size; left > 0;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
    if (!file.read(buffer.data(), static_cast<std::streamsize>(wanted)))
      return fail(ExitCode::run_failed, "'" + content.file.string() + "' became shorter while it was copied");
    if (auto written = connection_->write({buffer.data(), wanted}); !written) return written;
    left -= wanted;
  }
  return {};
}

/// Passes over all that is not marked: what start-up files print, a message of the day.
Expected<remote::Answer> SshRemoteHost::read_answer(std::chrono::seconds patience) {
  const std::string beginning = marker_ + " ";
  while (true) {
    const auto line = connection_->read_line(patience);
    if (!line) return tl::unexpected(line.error());
    if (!line->starts_with(beginning)) {
      if (!line->empty()) connection_->set_last_words(line->substr(0, kKeptWords));
      continue;
    }
    auto answer = remote::parse_answer(line->substr(beginning.size()));
    if (!answer) return tl::unexpected(answer.error().context(target_.host));
    if (const auto* refused = std::get_if<remote::Refused>(&*answer))
      return fail(ExitCode::run_failed, target_.host + ": " + refused->why);
    return answer;
  }
}

}  // namespace

std::string render_remote_script(const RemoteAgent& agent, const std::string& marker) {
  if (agent.push) return render_push_script(*agent.push, marker);
  const std::string program = quote_for_shell(agent.path);
  const std::string missing =
      marker + " " + remote::render_answer(remote::Refused{"there is no '" + agent.path + "'"});
  return "[ -x " + program + " ] || { printf '\\n%s\\n' " + quote_for_shell(missing) + "; exit 1; }\n" +
         "exec " + program + " remote --marker " + quote_for_shell(marker) + "\n";
}

Expected<std::unique_ptr<RemoteHost>> SshConnector::connect(const SshTarget& target,
                                                            const RemoteAgent& agent) {
  auto connection = SshConnection::open(target, runner_, environment_);
  if (!connection) return tl::unexpected(connection.error());
  auto host = std::make_unique<SshRemoteHost>(std::move(*connection), target, marker_);
  if (auto begun = host->begin(agent); !begun) return tl::unexpected(begun.error());
  return host;
}

}  // namespace ddp::cli
