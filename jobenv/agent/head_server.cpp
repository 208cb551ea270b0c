#include "jobenv/agent/head_server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

#include "jobenv/agent/control_protocol.hpp"

namespace ddp::agent {
namespace {

constexpr std::chrono::seconds kIntroduction{10};
/// Connections without a name at a time; the others wait in the kernel's queue.
constexpr std::size_t kMaxGuests = 16;
constexpr std::chrono::milliseconds kPause{100};

/// Takes the same time wherever the texts differ.
bool same_secret(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned>(left[i] ^ right[i]);
  }
  return difference == 0;
}

/// A socket bound to a free port; to all addresses it is an IPv6 one that takes IPv4 too, where there is
/// IPv6.
Expected<FileDescriptor> bind_any(Reach reach) {
  int error = 0;
  const std::vector<std::string> hosts = reach == Reach::this_host
                                             ? std::vector<std::string>{"127.0.0.1"}
                                             : std::vector<std::string>{"::", "0.0.0.0"};
  for (const std::string& host : hosts) {
    const auto address = SocketAddress::parse(host, 0);
    if (!address) return tl::unexpected(address.error());
    FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int off = 0;
    if (address->family() == AF_INET6) setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (socket.is_open() && bind(socket.get(), address->data(), address->size()) == 0 &&
        listen(socket.get(), SOMAXCONN) == 0) {
      return socket;
    }
    error = errno;
  }
  return fail_errno(ExitCode::run_failed, "cannot bind a control port", error);
}

}  // namespace

Expected<std::unique_ptr<HeadServer>> HeadServer::open(EventLoop& loop, Reach reach, std::string nonce,
                                                       OnAgent on_agent) {
  auto socket = bind_any(reach);
  if (!socket) return tl::unexpected(socket.error());
  std::unique_ptr<HeadServer> server(
      new HeadServer(loop, std::move(*socket), std::move(nonce), std::move(on_agent)));
  if (auto listening = server->listen_on(reach); !listening) return tl::unexpected(listening.error());
  return server;
}

HeadServer::HeadServer(EventLoop& loop, FileDescriptor socket, std::string nonce, OnAgent on_agent)
    : loop_(loop), socket_(std::move(socket)), nonce_(std::move(nonce)), on_agent_(std::move(on_agent)) {}

HeadServer::~HeadServer() {
  loop_.forget(watch_);
  loop_.cancel(pause_);
  for (const Guest& guest : guests_) loop_.cancel(guest.deadline);
}

Expected<void> HeadServer::listen_on(Reach reach) {
  const auto bound = SocketAddress::local_end(socket_.get());
  const auto hosts =
      reach == Reach::this_host ? std::vector<std::string>{"127.0.0.1"} : resolve_local_addresses();
  for (const std::string& host : hosts) {
    const auto address = SocketAddress::parse(host, bound->port());
    if (address) endpoints_.push_back(address->endpoint());
  }
  if (endpoints_.empty()) {
    return fail(ExitCode::run_failed, "this host has no network address that other hosts could reach",
                "a run on several nodes needs an interface besides the loopback");
  }
  const auto watch = loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { accept_guest(); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  return {};
}

void HeadServer::accept_guest() {
  FileDescriptor socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    // Out of descriptors, most likely: the connection stays in the queue, and the loop must not spin on it.
    if (errno != EAGAIN) pause();
    return;
  }
  const GuestPlace guest = guests_.emplace(guests_.end());
  guest->connection = std::make_unique<ControlConnection>(
      loop_, std::move(socket), kMaxNonceLine,
      ControlConnection::Handlers{[this, guest](std::string_view line) { on_line(guest, line); },
                                  [this, guest](const std::string&) { dismiss(guest); }});
  guest->deadline = loop_.after(kIntroduction, [this, guest] { dismiss(guest); });
  update_watch();
}

void HeadServer::on_line(GuestPlace guest, std::string_view line) {
  if (!guest->knows_nonce) {
    if (!same_secret(line, nonce_)) return dismiss(guest);
    guest->knows_nonce = true;
    return guest->connection->set_max_line(kMaxLine);
  }
  const auto message = parse_agent_message(line);
  const Hello* hello = message ? std::get_if<Hello>(&*message) : nullptr;
  if (hello == nullptr) return dismiss(guest);
  auto connection = std::move(guest->connection);
  dismiss(guest);
  on_agent_(*hello, std::move(connection));
}

void HeadServer::dismiss(GuestPlace guest) {
  loop_.cancel(guest->deadline);
  guests_.erase(guest);
  update_watch();
}

void HeadServer::pause() {
  loop_.change(watch_, 0);
  pause_ = loop_.after(kPause, [this] { update_watch(); });
}

void HeadServer::update_watch() {
  loop_.change(watch_, guests_.size() < kMaxGuests ? EPOLLIN : 0u);
}

}  // namespace ddp::agent
