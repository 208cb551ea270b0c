#include "cli/ssh/remote_host.hpp"

#include "cli/ssh/ssh_connection.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

/// Of a login: its start-up files may take a while.
constexpr std::chrono::seconds kGreetingPatience{30};
/// A head has to make its folder's records durable before it answers.
constexpr std::chrono::seconds kAnswerPatience{60};

/// A shell that every login shell starts alike; what it is to do comes on its stdin, where nobody sees it.
constexpr const char* kShell = "exec /bin/sh -s";

class SshRemoteHost final : public RemoteHost {
 public:
  SshRemoteHost(std::unique_ptr<SshConnection> connection, SshTarget target, std::string marker)
      : connection_(std::move(connection)), target_(std::move(target)), marker_(std::move(marker)) {}

  Expected<void> begin(const std::string& agent);
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request& request) override;

 private:
  [[nodiscard]] Expected<remote::Answer> read_answer(std::chrono::seconds patience);

  std::unique_ptr<SshConnection> connection_;
  SshTarget target_;
  std::string marker_;
  remote::Greeting greeting_;
};

Expected<void> SshRemoteHost::begin(const std::string& agent) {
  if (auto started = connection_->start(kShell); !started) return started;
  if (auto written = connection_->write(render_remote_script(agent, marker_)); !written) return written;
  auto answer = read_answer(kGreetingPatience);
  if (answer && std::holds_alternative<remote::Greeting>(*answer)) {
    greeting_ = std::get<remote::Greeting>(std::move(*answer));
    return {};
  }
  Error error = answer ? Error{ExitCode::preflight_failed, target_.host + ": its agent does not greet"}
                       : std::move(answer.error());
  error.code = ExitCode::preflight_failed;  // nothing was asked for yet
  return tl::unexpected(std::move(error));
}

Expected<remote::Answer> SshRemoteHost::ask(const remote::Request& request) {
  if (auto written = connection_->write(remote::render_request(request) + "\n"); !written)
    return tl::unexpected(written.error());
  return read_answer(kAnswerPatience);
}

/// Passes over all that is not marked: what start-up files print, a message of the day.
Expected<remote::Answer> SshRemoteHost::read_answer(std::chrono::seconds patience) {
  const std::string beginning = marker_ + " ";
  while (true) {
    const auto line = connection_->read_line(patience);
    if (!line) return tl::unexpected(line.error());
    if (!line->starts_with(beginning)) continue;
    auto answer = remote::parse_answer(line->substr(beginning.size()));
    if (!answer) return tl::unexpected(answer.error().context(target_.host));
    if (const auto* refused = std::get_if<remote::Refused>(&*answer))
      return fail(ExitCode::run_failed, target_.host + ": " + refused->why);
    return answer;
  }
}

}  // namespace

std::string render_remote_script(const std::string& agent, const std::string& marker) {
  const std::string program = quote_for_shell(agent);
  const std::string missing =
      marker + " " + remote::render_answer(remote::Refused{"there is no '" + agent + "'"});
  return "[ -x " + program + " ] || { printf '\\n%s\\n' " + quote_for_shell(missing) + "; exit 1; }\n" +
         "exec " + program + " remote --marker " + quote_for_shell(marker) + "\n";
}

Expected<std::unique_ptr<RemoteHost>> SshConnector::connect(const SshTarget& target,
                                                            const std::string& agent) {
  auto connection = SshConnection::open(target);
  if (!connection) return tl::unexpected(connection.error());
  auto host = std::make_unique<SshRemoteHost>(std::move(*connection), target, marker_);
  if (auto begun = host->begin(agent); !begun) return tl::unexpected(begun.error());
  return host;
}

}  // namespace ddp::cli
