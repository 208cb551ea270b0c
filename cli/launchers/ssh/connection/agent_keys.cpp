#include "cli/launchers/ssh/connection/agent_keys.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

namespace ddp::cli {
namespace {

constexpr char kRequestIdentities = 11;
constexpr char kIdentitiesAnswer = 12;
/// As in OpenSSH.
constexpr std::uint32_t kLongestMessage = 256 * 1024;

std::string render_number(std::uint32_t number) {
  std::string text(4, '\0');
  for (int byte = 0; byte < 4; ++byte)
    text[static_cast<std::size_t>(byte)] = static_cast<char>(number >> (24 - 8 * byte));
  return text;
}

std::string render_string(const std::string& text) {
  return render_number(static_cast<std::uint32_t>(text.size())) + text;
}

/// Takes what messages are made of from the front of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t number = 0;
  for (const char byte : text.substr(0, 4)) number = number << 8 | static_cast<unsigned char>(byte);
  text.remove_prefix(4);
  return number;
}

std::optional<std::string> take_string(std::string_view& text) {
  const auto size = take_number(text);
  if (!size || *size > text.size()) return std::nullopt;
  std::string taken(text.substr(0, *size));
  text.remove_prefix(*size);
  return taken;
}

/// Without its length; empty at the end of the connection, and for what no agent says.
std::string read_message(int socket) {
  std::string size(4, '\0');
  if (read_up_to(socket, size.data(), size.size()) != 4) return {};
  std::string_view text = size;
  std::string message(std::min(*take_number(text), kLongestMessage), '\0');
  const auto wanted = static_cast<std::ptrdiff_t>(message.size());
  return read_up_to(socket, message.data(), message.size()) == wanted ? message : std::string();
}

bool write_message(int socket, const std::string& message) {
  return write_all(socket, render_string(message)) == 0;
}

}  // namespace

std::unique_ptr<AgentKeys> AgentKeys::open(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return nullptr;
  std::ranges::copy(path, address.sun_path);
  FileDescriptor agent(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!agent.is_open() || connect(agent.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return nullptr;
  // For the list alone: a signature may wait for a person's finger.
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  const timeval none{};
  setsockopt(agent.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::unique_ptr<AgentKeys> keys(new AgentKeys(std::move(agent)));
  if (!keys->load()) return nullptr;
  setsockopt(keys->agent_.get(), SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  return keys;
}

bool AgentKeys::load() {
  if (!write_message(agent_.get(), {kRequestIdentities})) return false;
  const std::string answer = read_message(agent_.get());
  if (answer.empty() || answer.front() != kIdentitiesAnswer) return false;
  std::string_view rest = std::string_view(answer).substr(1);
  for (auto left = take_number(rest).value_or(0); left > 0; --left) {
    auto blob = take_string(rest);
    auto comment = take_string(rest);
    if (!blob || !comment) return false;
    keys_.push_back({std::move(*blob), std::move(*comment)});
  }
  return true;
}

bool AgentKeys::lend(const LibSsh& library, ssh_session session, const AgentKey& key) {
  lent_ = kIdentitiesAnswer + render_number(1) + render_string(key.blob) + render_string(key.comment);
  if (answering_.joinable()) return true;
  auto pair = make_socket_pair();
  const int end = pair ? fcntl(pair->theirs.get(), F_DUPFD_CLOEXEC, 0) : -1;
  if (end < 0) return false;
  session_ = std::move(*pair);
  library.ssh_set_agent_socket(session, end);  // which closes it
  try {
    answering_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {  // the user may have no more threads
    return false;
  }
  return true;
}

void AgentKeys::serve() {
  while (true) {
    const std::string request = read_message(session_.ours.get());
    if (request.empty()) return;
    if (request.front() == kRequestIdentities) {
      if (!write_message(session_.ours.get(), lent_)) return;
      continue;
    }
    if (!write_message(agent_.get(), request)) return;
    const std::string answer = read_message(agent_.get());
    if (answer.empty() || !write_message(session_.ours.get(), answer)) return;
  }
}

AgentKeys::~AgentKeys() {
  if (!answering_.joinable()) return;
  shutdown(session_.ours.get(), SHUT_RDWR);
  shutdown(agent_.get(), SHUT_RDWR);
  answering_.join();
}

}  // namespace ddp::cli
