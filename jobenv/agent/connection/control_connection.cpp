#include "jobenv/agent/connection/control_connection.hpp"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ddp::agent {
namespace {

constexpr std::size_t kMaxOutgoing = 16u << 20;

std::string host_of(const std::optional<SocketAddress>& address) {
  return address ? address->host() : std::string();
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

ControlConnection::ControlConnection(EventLoop& loop, FileDescriptor socket, std::size_t max_line,
                                     Handlers handlers)
    : loop_(loop), socket_(std::move(socket)), max_line_(max_line), handlers_(std::move(handlers)) {
  fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto watch = loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t events) { on_ready(events); });
  if (watch) {
    watch_ = *watch;
  } else {
    failure_ = loop_.after(std::chrono::milliseconds(0), [this, why = watch.error().message] { close(why); });
  }
}

ControlConnection::~ControlConnection() {
  loop_.forget(watch_);
  loop_.cancel(failure_);
}

std::string ControlConnection::local_host() const {
  return host_of(SocketAddress::local_end(socket_.get()));
}

std::string ControlConnection::remote_host() const {
  return host_of(SocketAddress::remote_end(socket_.get()));
}

std::string ControlConnection::remote_endpoint() const {
  const auto address = SocketAddress::remote_end(socket_.get());
  return address ? address->endpoint() : std::string();
}

void ControlConnection::send_line(std::string_view line) {
  if (!socket_.is_open() || outgoing_.size() > kMaxOutgoing) return;
  outgoing_ += line;
  outgoing_ += '\n';
  write_more();
  // Reported by the loop, not from within the caller's send.
  if (outgoing_.size() > kMaxOutgoing) shutdown(socket_.get(), SHUT_RDWR);
}

void ControlConnection::write_more() {
  while (!outgoing_.empty()) {
    const ssize_t size = send(socket_.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
    if (size < 0) {
      if (!would_block()) outgoing_.clear();  // a broken connection shows as an event of its own
      break;
    }
    outgoing_.erase(0, static_cast<std::size_t>(size));
  }
  loop_.change(watch_, outgoing_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

void ControlConnection::on_ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) write_more();
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) read_more();
}

void ControlConnection::read_more() {
  std::array<char, 16384> buffer;
  const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size < 0 && would_block()) return;
  if (size < 0) return close(std::strerror(errno));
  if (size == 0) return close("the other side closed the connection");
  last_heard_ = std::chrono::steady_clock::now();
  incoming_.append(buffer.data(), static_cast<std::size_t>(size));
  deliver_lines();
}

bool ControlConnection::is_silent_for(std::chrono::milliseconds lease) {
  if (silence() <= lease) return false;
  const std::weak_ptr<bool> alive = alive_;
  read_more();
  return !alive.expired() && silence() > lease;
}

void ControlConnection::deliver_lines() {
  const std::weak_ptr<bool> alive = alive_;
  std::size_t end = 0;
  while ((end = incoming_.find('\n')) != std::string::npos && end <= max_line_) {
    const std::string line = incoming_.substr(0, end);
    incoming_.erase(0, end + 1);
    const auto handler = handlers_.line;
    handler(line);
    if (alive.expired()) return;
  }
  if (incoming_.size() > max_line_) close("a line is longer than " + std::to_string(max_line_) + " bytes");
}

void ControlConnection::close(const std::string& why) {
  loop_.forget(watch_);
  socket_ = FileDescriptor();
  const auto handler = handlers_.closed;
  handler(why);
}

}  // namespace ddp::agent
