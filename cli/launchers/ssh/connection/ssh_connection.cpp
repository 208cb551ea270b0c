#include "cli/launchers/ssh/connection/ssh_connection.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/launchers/ssh/connection/host_key.hpp"
#include "cli/launchers/ssh/connection/proxy_fork.hpp"
#include "cli/launchers/ssh/connection/sigpipe_block.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kKeptErrors = 2'048;
constexpr std::size_t kLongestLine = 64u << 20;
/// For a host to take any byte.
constexpr std::chrono::seconds kWritePatience{120};

}  // namespace

SshConnection::SshConnection(const LibSsh& library, SshTarget target)
    : library_(library), target_(std::move(target)), session_(library.ssh_new()) {}

SshConnection::~SshConnection() {
  const SigpipeBlock block;
  if (channel_ != nullptr) library_.ssh_channel_free(channel_);
  if (session_ == nullptr) return;
  library_.ssh_disconnect(session_);
  library_.ssh_free(session_);
}

Expected<std::unique_ptr<SshConnection>> SshConnection::open(const SshTarget& target) {
  const SigpipeBlock block;
  const ProxyFork fork;
  const auto library = load_libssh();
  if (!library) return tl::unexpected(library.error());
  std::unique_ptr<SshConnection> connection(new SshConnection(**library, target));
  for (const auto step :
       {&SshConnection::set_options, &SshConnection::connect, &SshConnection::authenticate}) {
    if (auto done = (connection.get()->*step)(); !done) return tl::unexpected(done.error());
  }
  return connection;
}

std::string SshConnection::try_by_hand(const std::string& command) const {
  const std::string port = target_.port ? fmt::format("-p {} ", *target_.port) : "";
  const std::string user = target_.user ? *target_.user + "@" : "";
  return fmt::format("try: ssh {}{}{} {}", port, user, target_.host, command);
}

tl::unexpected<Error> SshConnection::failed(ExitCode code, const std::string& what, std::string hint) const {
  const char* why = session_ == nullptr ? "" : library_.ssh_get_error(session_);
  return fail(code, fmt::format("{}: {}: {}", target_.host, what, why), std::move(hint));
}

/// The name first: it chooses the section of ~/.ssh/config, which what the run says goes before.
Expected<void> SshConnection::set_options() {
  const int no_delay = 1;
  const long timeout = target_.timeout.count();
  const auto set = [this](ssh_options_e option, const void* value) {
    return library_.ssh_options_set(session_, option, value) == SSH_OK;
  };
  bool good = session_ != nullptr && set(SSH_OPTIONS_HOST, target_.host.c_str());
  if (good && library_.ssh_options_parse_config(session_, nullptr) != SSH_OK)
    return failed(ExitCode::preflight_failed, "~/.ssh/config cannot be used", "");
  good = good && set(SSH_OPTIONS_TIMEOUT, &timeout) && set(SSH_OPTIONS_NODELAY, &no_delay);
  if (target_.address) good = good && set(SSH_OPTIONS_HOST, target_.address->c_str());
  if (target_.user) good = good && set(SSH_OPTIONS_USER, target_.user->c_str());
  if (target_.port) good = good && set(SSH_OPTIONS_PORT, &*target_.port);
  if (target_.identity_file) good = good && set(SSH_OPTIONS_ADD_IDENTITY, target_.identity_file->c_str());
  if (good) return {};
  return failed(ExitCode::preflight_failed, "it cannot be connected to with these settings");
}

Expected<void> SshConnection::connect() {
  if (library_.ssh_connect(session_) != SSH_OK)
    return failed(ExitCode::preflight_failed, "no ssh connection", try_by_hand("true"));
  return check_host_key(library_, session_, target_);
}

/// Without a passphrase: a key that has one is for the agent.
Expected<void> SshConnection::authenticate() {
  const int result = library_.ssh_userauth_publickey_auto(session_, nullptr, nullptr);
  if (result == SSH_AUTH_SUCCESS) return {};
  char* user = nullptr;
  library_.ssh_options_get(session_, SSH_OPTIONS_USER, &user);
  const std::string name = user == nullptr ? "this user" : user;
  library_.ssh_string_free_char(user);
  return fail(ExitCode::authentication,
              fmt::format("{}: no key of ssh-agent or ~/.ssh is accepted for user {}", target_.host, name),
              fmt::format("add a key to ssh-agent (ssh-add), or set ssh.identity_file or ssh.user; try: ssh "
                          "-o BatchMode=yes {}@{} true",
                          name, target_.host));
}

Expected<void> SshConnection::start(const std::string& command) {
  const SigpipeBlock block;
  channel_ = library_.ssh_channel_new(session_);
  if (channel_ == nullptr || library_.ssh_channel_open_session(channel_) != SSH_OK)
    return failed(ExitCode::preflight_failed, "it refuses to open a session",
                  "the limit MaxSessions of its sshd may be reached");
  if (library_.ssh_channel_request_exec(channel_, command.c_str()) != SSH_OK)
    return failed(ExitCode::preflight_failed, "it refuses to run a command",
                  "check that this user may run commands there");
  return {};
}

Expected<void> SshConnection::write(std::string_view text) {
  const SigpipeBlock block;
  auto deadline = std::chrono::steady_clock::now() + kWritePatience;
  while (!text.empty()) {
    const int size =
        library_.ssh_channel_write(channel_, text.data(), static_cast<std::uint32_t>(text.size()));
    const auto now = std::chrono::steady_clock::now();
    // None were taken within the time-out of the session: what reads there may be busy with its disk.
    if (size < 0 || (size == 0 && now > deadline))
      return failed(ExitCode::outcome_unknown, "the connection broke");
    if (size > 0) deadline = now + kWritePatience;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

Expected<std::string> SshConnection::read_line(std::chrono::milliseconds timeout) {
  const SigpipeBlock block;  // reading answers to the other side, too
  auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    if (const std::size_t end = incoming_.find('\n'); end != std::string::npos) {
      std::string line = incoming_.substr(0, end);
      incoming_.erase(0, end + 1);
      return line;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return fail(ExitCode::outcome_unknown, target_.host + " no longer answers");
    if (incoming_.size() > kLongestLine)
      return fail(ExitCode::outcome_unknown, target_.host + " sends a line that is too long");
    const std::size_t before = incoming_.size();
    if (auto read = read_more(left); !read) return tl::unexpected(read.error());
    if (incoming_.size() > before) deadline = std::chrono::steady_clock::now() + timeout;
  }
}

Expected<void> SshConnection::read_more(std::chrono::milliseconds timeout) {
  std::array<char, 16'384> buffer{};
  const int size = library_.ssh_channel_read_timeout(channel_, buffer.data(), buffer.size(), 0,
                                                     static_cast<int>(timeout.count()));
  if (size > 0) incoming_.append(buffer.data(), static_cast<std::size_t>(size));
  if (size < 0) return failed(ExitCode::outcome_unknown, "the connection broke");
  read_errors();  // as long as some are unread, libssh sees no end
  if (size > 0 || library_.ssh_channel_is_eof(channel_) == 0) return {};
  const std::string& said = errors_.empty() ? last_words_ : errors_;
  return fail(ExitCode::outcome_unknown,
              fmt::format("{}: the program that was to answer has ended{}{}", target_.host,
                          said.empty() ? "" : ": ", said),
              try_by_hand("true"));
}

void SshConnection::read_errors() {
  std::array<char, 4'096> buffer{};
  int size = 0;
  while ((size = library_.ssh_channel_read_timeout(channel_, buffer.data(), buffer.size(), 1, 0)) > 0)
    errors_.append(buffer.data(), static_cast<std::size_t>(size));
  errors_.erase(errors_.find_last_not_of('\n') + 1);
  if (errors_.size() > kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
}

}  // namespace ddp::cli
