#include "cli/launchers/ssh/connection/remote_host.hpp"

#include <algorithm>
#include <fstream>
#include <span>
#include <vector>

#include "cli/launchers/ssh/connection/push_script.hpp"
#include "cli/launchers/ssh/connection/ssh_connection.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/record/files/crc32c.hpp"

namespace ddp::cli {
namespace {

/// Of a login: its start-up files may take a while. After the first of these the person is told.
constexpr std::chrono::seconds kGreetingPause{10};
constexpr std::chrono::seconds kGreetingPatience{30};
/// Of a shell that has ended: what it said is there already, or never comes.
constexpr std::chrono::seconds kReasonPatience{1};
/// A head has to make its folder's records durable before it answers.
constexpr std::chrono::seconds kAnswerPatience{60};
/// For the last of the bytes to arrive, and to be written to a disk.
constexpr std::chrono::seconds kContentPatience{600};
constexpr std::size_t kContentChunk = 1u << 20;
constexpr std::size_t kKeptLine = 200;

/// A shell that every login shell starts alike; what it is to do comes on its stdin, where nobody sees it.
constexpr const char* kShell = "exec /bin/sh -s";

class SshRemoteHost final : public RemoteHost {
 public:
  SshRemoteHost(std::unique_ptr<SshConnection> connection, SshTarget target, std::string marker)
      : connection_(std::move(connection)), target_(std::move(target)), marker_(std::move(marker)) {}

  Expected<void> begin(const RemoteAgent& agent, const SshNote& note);
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request& request) override;
  [[nodiscard]] Expected<remote::Answer> ask_with(const remote::Request& request,
                                                  const Content& content) override;
  [[nodiscard]] Expected<std::string> ask_for_bytes(const remote::SendFile& request) override;

 private:
  [[nodiscard]] Expected<void> write_content(const Content& content);
  [[nodiscard]] Expected<remote::Answer> read_answer(std::chrono::seconds patience);
  [[nodiscard]] Expected<remote::Answer> await_greeting(const SshNote& note);
  [[nodiscard]] std::optional<Expected<remote::Answer>> take(const std::string& line);

  std::unique_ptr<SshConnection> connection_;
  SshTarget target_;
  std::string marker_;
  remote::Greeting greeting_;
};

Expected<void> SshRemoteHost::begin(const RemoteAgent& agent, const SshNote& note) {
  if (auto started = connection_->start(kShell); !started) return started;
  const auto sent = connection_->write(render_remote_script(agent, marker_));
  // A shell that has ended takes no script; what it said tells why.
  auto answer = sent ? await_greeting(note) : read_answer(kReasonPatience);
  if (answer && std::holds_alternative<remote::AgentWanted>(*answer)) {
    const auto written = write_content({.file = agent.path, .size = agent.push->size});
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
  const bool is_full = error.message.find("No space left on device") != std::string::npos;
  if (agent.push && is_full)
    error.hint = "make room there, or set ssh.push_folder to a folder on another disk";
  else if (agent.push && refused)
    error.hint = "set ssh.push_folder to a folder that this user, and nobody else, can write to on all hosts";
  return tl::unexpected(std::move(error));
}

Expected<remote::Answer> SshRemoteHost::ask(const remote::Request& request) {
  if (auto written = connection_->write(remote::render_request(request) + "\n"); !written)
    return tl::unexpected(written.error());
  const bool looks_only =
      std::holds_alternative<remote::SendSignal>(request) || std::holds_alternative<remote::ReadRun>(request);
  // Many files may have to be removed.
  if (std::holds_alternative<remote::RemoveRun>(request)) return read_answer(kContentPatience);
  return read_answer(looks_only ? target_.timeout : kAnswerPatience);
}

Expected<remote::Answer> SshRemoteHost::ask_with(const remote::Request& request, const Content& content) {
  if (auto written = connection_->write(remote::render_request(request) + "\n"); !written)
    return tl::unexpected(written.error());
  if (auto written = write_content(content); !written) return tl::unexpected(written.error());
  return read_answer(kContentPatience);
}

/// Whatever else a login prints in between is found by the sum.
Expected<std::string> SshRemoteHost::ask_for_bytes(const remote::SendFile& request) {
  const auto answer = ask(request);
  if (!answer) return tl::unexpected(answer.error());
  const auto* announced = std::get_if<remote::FileBytes>(&*answer);
  if (announced == nullptr || announced->size > request.most)
    return fail(ExitCode::outcome_unknown, target_.host + ": an answer to another question");
  auto bytes = connection_->read_bytes(announced->size, kAnswerPatience);
  if (!bytes || crc32c(std::as_bytes(std::span(*bytes))) == announced->crc32c) return bytes;
  return fail(ExitCode::outcome_unknown,
              target_.host + ": '" + request.file.path + "' did not arrive as it was sent",
              "a start-up file of the login shell may have left a process behind that prints");
}

Expected<void> SshRemoteHost::write_content(const Content& content) {
  std::ifstream file(content.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(content.offset));
  std::vector<char> buffer(kContentChunk);
  for (std::uint64_t left = content.size; left > 0;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
    if (!file.read(buffer.data(), static_cast<std::streamsize>(wanted)))
      return fail(ExitCode::run_failed, "'" + content.file.string() + "' became shorter while it was copied");
    if (auto written = connection_->write({buffer.data(), wanted}); !written) return written;
    left -= wanted;
    if (content.on_sent) content.on_sent(wanted);
  }
  return {};
}

/// nullopt: it is not marked, as what start-up files print, or a message of the day.
std::optional<Expected<remote::Answer>> SshRemoteHost::take(const std::string& line) {
  const std::string beginning = marker_ + " ";
  if (!line.starts_with(beginning)) {
    if (!line.empty()) connection_->set_last_words(line.substr(0, kKeptLine));
    return std::nullopt;
  }
  auto answer = remote::parse_answer(line.substr(beginning.size()));
  if (!answer) return tl::unexpected(answer.error().context(target_.host));
  if (const auto* refused = std::get_if<remote::Refused>(&*answer))
    return fail(ExitCode::run_failed, target_.host + ": " + refused->why);
  return answer;
}

Expected<remote::Answer> SshRemoteHost::read_answer(std::chrono::seconds patience) {
  while (true) {
    const auto line = connection_->read_line(patience, SshConnection::Patience::renewed);
    if (!line) return tl::unexpected(line.error());
    if (auto answer = take(*line)) return std::move(*answer);
  }
}

/// The time for a login is fixed: what it prints does not extend it.
Expected<remote::Answer> SshRemoteHost::await_greeting(const SshNote& note) {
  const auto begin = std::chrono::steady_clock::now();
  auto end = begin + kGreetingPause;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      const auto silence = std::chrono::duration_cast<std::chrono::seconds>(end - begin);
      auto error = connection_->refuse_silent_shell(silence);
      if (silence >= kGreetingPatience) return error;
      end = begin + kGreetingPatience;
      note(error.value().message + "; waiting 20 s more");
      continue;
    }
    const auto line = connection_->read_line(left, SshConnection::Patience::fixed);
    if (!line && !connection_->is_silent()) return tl::unexpected(line.error());
    if (!line) continue;
    if (auto answer = take(*line)) return std::move(*answer);
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
  if (auto begun = host->begin(agent, note_); !begun) return tl::unexpected(begun.error());
  return host;
}

}  // namespace ddp::cli
