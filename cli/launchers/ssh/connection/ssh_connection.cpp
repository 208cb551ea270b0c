#include "cli/launchers/ssh/connection/ssh_connection.hpp"

#include <fmt/format.h>
#include <netdb.h>

#include <array>
#include <utility>
#include <vector>

#include "cli/launchers/ssh/connection/proxy_fork.hpp"
#include "cli/launchers/ssh/connection/sigpipe_block.hpp"
#include "cli/launchers/ssh/connection/user_keys.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kKeptErrors = 2'048;
constexpr std::size_t kKeptWords = 200;
constexpr std::size_t kLongestLine = 64u << 20;
/// For a host to take any byte.
constexpr std::chrono::seconds kWritePatience{120};

/// Those of the host, numeric, in the order in which they are to be tried.
Expected<std::vector<std::string>> find_addresses(const SshSettings& settings) {
  addrinfo wanted{};
  wanted.ai_family = settings.address_family;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(settings.hostname.c_str(), nullptr, &wanted, &found); error != 0) {
    return fail(ExitCode::preflight_failed,
                fmt::format("{}: no ssh connection: '{}' has no address: {}", settings.name,
                            settings.hostname, gai_strerror(error)),
                "check the name of the host, and HostName in ~/.ssh/config");
  }
  std::vector<std::string> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0)
      addresses.emplace_back(text.data());
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace

SshConnection::~SshConnection() {
  const SigpipeBlock block;
  if (channel_ != nullptr) library_.ssh_channel_free(channel_);
  if (session_ == nullptr) return;
  library_.ssh_disconnect(session_);
  library_.ssh_free(session_);
}

Expected<std::unique_ptr<SshConnection>> SshConnection::open(const SshTarget& target, CommandRunner& runner,
                                                             const EnvMap& environment) {
  const SigpipeBlock block;
  const ProxyFork fork;
  const auto library = load_libssh();
  if (!library) return tl::unexpected(library.error());
  auto settings = find_ssh_settings(target, runner, environment);
  if (!settings) return tl::unexpected(settings.error());
  std::unique_ptr<SshConnection> connection(new SshConnection(**library, target, std::move(*settings)));
  if (auto done = connection->connect(); !done) return tl::unexpected(done.error());
  if (auto done = authenticate(**library, connection->session_, connection->settings_); !done)
    return tl::unexpected(done.error());
  return connection;
}

tl::unexpected<Error> SshConnection::failed(ExitCode code, const std::string& what, std::string hint) const {
  const std::string why = session_ == nullptr ? "" : library_.ssh_get_error(session_);
  return fail(code,
              fmt::format("{}: {}: {}", target_.host, what, why.empty() ? "libssh does not say why" : why),
              std::move(hint));
}

/// libssh refuses names that OpenSSH takes, such as the host gpu_a and the user CORP\ann. So it gets the
/// address, or none where a proxy knows it, and learns the user's name when the user logs in.
bool SshConnection::set_options(const std::string& address, const KnownKeys& known) {
  const int no_delay = 1;
  const bool no_config = false;
  const long timeout = target_.timeout.count();
  const auto set = [this](ssh_options_e option, const void* value) {
    return library_.ssh_options_set(session_, option, value) == SSH_OK;
  };
  const std::string types = known.preferred_types();
  // What libssh does not know of a list it leaves out; of the rest it keeps its own choice.
  for (const auto& [option, list] : {std::pair{SSH_OPTIONS_HOSTKEYS, &types},
                                     {SSH_OPTIONS_KEY_EXCHANGE, &settings_.key_exchanges},
                                     {SSH_OPTIONS_CIPHERS_C_S, &settings_.ciphers},
                                     {SSH_OPTIONS_CIPHERS_S_C, &settings_.ciphers},
                                     {SSH_OPTIONS_HMAC_C_S, &settings_.macs},
                                     {SSH_OPTIONS_HMAC_S_C, &settings_.macs},
                                     {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, &settings_.user_key_types}}) {
    if (!list->empty()) (void)set(option, list->c_str());
  }
  // libssh would prefer the kinds of keys that it knows of the address, and reads tokens of its own in the
  // command.
  return set(SSH_OPTIONS_PROCESS_CONFIG, &no_config) && set(SSH_OPTIONS_KNOWNHOSTS, "/dev/null") &&
         set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null") && set(SSH_OPTIONS_TIMEOUT, &timeout) &&
         set(SSH_OPTIONS_NODELAY, &no_delay) && set(SSH_OPTIONS_PORT, &settings_.port) &&
         (settings_.bind_address.empty() || set(SSH_OPTIONS_BINDADDR, settings_.bind_address.c_str())) &&
         (settings_.proxy.empty() ? set(SSH_OPTIONS_HOST, address.c_str())
                                  : set(SSH_OPTIONS_PROXYCOMMAND, double_percent(settings_.proxy).c_str()));
}

Expected<void> SshConnection::connect_to(const std::string& address, const KnownKeys& known) {
  if (session_ != nullptr) library_.ssh_free(session_);
  session_ = library_.ssh_new();
  if (session_ == nullptr || !set_options(address, known))
    return failed(ExitCode::preflight_failed, "it cannot be connected to with these settings",
                  "try: " + settings_.by_hand + " true");
  if (library_.ssh_connect(session_) == SSH_OK) return {};
  return failed(ExitCode::preflight_failed, "no ssh connection", "try: " + settings_.by_hand + " true");
}

Expected<void> SshConnection::connect() {
  const KnownKeys known(library_, settings_);
  Expected<std::vector<std::string>> addresses{{std::string()}};
  if (settings_.proxy.empty()) addresses = find_addresses(settings_);
  if (!addresses) return tl::unexpected(addresses.error());
  Expected<void> connected = fail(ExitCode::preflight_failed, target_.host + ": it has no address");
  for (const auto& address : *addresses) {
    connected = connect_to(address, known);
    if (connected) return known.check(session_, target_.host_keys);
  }
  return connected;
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

Expected<std::string> SshConnection::read_line(std::chrono::milliseconds timeout, Patience patience) {
  const SigpipeBlock block;  // reading answers to the other side, too
  auto deadline = std::chrono::steady_clock::now() + timeout;
  is_silent_ = false;
  while (true) {
    if (const std::size_t end = incoming_.find('\n'); end != std::string::npos) {
      std::string line = incoming_.substr(0, end);
      incoming_.erase(0, end + 1);
      return line;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      is_silent_ = true;
      return fail(ExitCode::outcome_unknown, target_.host + " no longer answers");
    }
    if (incoming_.size() > kLongestLine)
      return fail(ExitCode::outcome_unknown, target_.host + " sends a line that is too long");
    const std::size_t before = incoming_.size();
    if (auto read = read_more(left); !read) return tl::unexpected(read.error());
    if (patience == Patience::renewed && incoming_.size() > before)
      deadline = std::chrono::steady_clock::now() + timeout;
  }
}

Expected<std::string> SshConnection::read_bytes(std::size_t count, std::chrono::milliseconds timeout) {
  const SigpipeBlock block;
  std::string bytes;
  bytes.reserve(count);
  auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto taken = std::min(count - bytes.size(), incoming_.size());
    bytes.append(incoming_, 0, taken);
    incoming_.erase(0, taken);
    if (bytes.size() == count) return bytes;
    const auto now = std::chrono::steady_clock::now();
    if (taken > 0) deadline = now + timeout;
    if (now >= deadline) return fail(ExitCode::outcome_unknown, target_.host + " no longer answers");
    if (auto read = read_more(std::chrono::ceil<std::chrono::milliseconds>(deadline - now)); !read)
      return tl::unexpected(read.error());
  }
}

Expected<void> SshConnection::read_more(std::chrono::milliseconds timeout) {
  std::array<char, 65'536> buffer{};
  const int size = library_.ssh_channel_read_timeout(channel_, buffer.data(), buffer.size(), 0,
                                                     static_cast<int>(timeout.count()));
  if (size > 0) incoming_.append(buffer.data(), static_cast<std::size_t>(size));
  if (size < 0) return failed(ExitCode::outcome_unknown, "the connection broke");
  read_errors();  // as long as some are unread, libssh sees no end
  if (size > 0 || library_.ssh_channel_is_eof(channel_) == 0) return {};
  const std::string said = words();
  if (said.empty()) {
    return fail(ExitCode::outcome_unknown,
                target_.host + ": its login shell ended without a word, and did not run what it was asked to",
                advice_for_shell());
  }
  return fail(ExitCode::outcome_unknown,
              fmt::format("{}: the program that was to answer has ended: {}", target_.host, said),
              advice_for_shell());
}

/// stderr first; a question has no newline.
std::string SshConnection::words() const {
  if (!errors_.empty()) return errors_;
  return (incoming_.empty() ? last_words_ : incoming_).substr(0, kKeptWords);
}

std::string SshConnection::advice_for_shell() const {
  return fmt::format(
      "'{} echo works' must print 'works'; a start-up file of the shell, such as ~/.bashrc, may call "
      "exit or exec",
      settings_.by_hand);
}

tl::unexpected<Error> SshConnection::refuse_silent_shell(std::chrono::seconds patience) const {
  const std::string said = words();
  return fail(ExitCode::preflight_failed,
              fmt::format("{}: its login shell has not run what it was asked to within {} s; it printed {}",
                          target_.host, patience.count(), said.empty() ? "nothing" : "'" + said + "'"),
              advice_for_shell());
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
