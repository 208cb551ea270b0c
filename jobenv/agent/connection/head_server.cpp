#include "jobenv/agent/connection/head_server.hpp"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "jobenv/agent/protocol/control_protocol.hpp"

namespace ddp::agent {
namespace {

constexpr std::chrono::seconds kIntroduction{2};
/// Connections without a name at a time, and how many of them are taken before others are heard.
constexpr rlim_t kMostGuests = 1024;
constexpr rlim_t kFewestGuests = 16;
constexpr int kBatch = 64;
constexpr std::chrono::milliseconds kPause{100};

/// Most descriptors are for agents, programs and files.
std::size_t resolve_guest_limit() {
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return kFewestGuests;
  return std::clamp(descriptors.rlim_cur / 4, kFewestGuests, kMostGuests);
}

bool is_out_of_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

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
    : loop_(loop),
      socket_(std::move(socket)),
      nonce_(std::move(nonce)),
      on_agent_(std::move(on_agent)),
      guest_limit_(resolve_guest_limit()) {}

HeadServer::~HeadServer() {
  loop_.forget(watch_);
  loop_.cancel(pause_);
  loop_.cancel(lateness_);
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
  const auto watch = loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { accept_guests(); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  return {};
}

/// What is left in the queue is reported again: guests and agents are heard between two batches.
void HeadServer::accept_guests() {
  for (int count = 0; count < kBatch; ++count) {
    if (guests_.size() >= guest_limit_ && find_stranger() == guests_.end()) return pause();
    FileDescriptor socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.is_open()) {
      take_in(std::move(socket));
      if (guests_.size() > guest_limit_) (void)push_out(Newest::stays);
    } else if (is_out_of_descriptors(errno)) {
      if (!push_out(Newest::may_go)) return pause();
    } else if (errno == EAGAIN) {
      return;
    }  // else that connection has ended before it was accepted
  }
}

void HeadServer::take_in(FileDescriptor socket) {
  const GuestPlace guest = guests_.emplace(guests_.end());
  guest->number = next_guest_++;
  guest->deadline = Clock::now() + kIntroduction;
  guest->connection = std::make_unique<ControlConnection>(
      loop_, std::move(socket), kMaxNonceLine,
      ControlConnection::Handlers{[this, guest](std::string_view line) { on_line(guest, line); },
                                  [this, guest](const std::string&) { dismiss(guest); }});
  watch_lateness();
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
  guests_.erase(guest);
  on_agent_(*hello, std::move(connection));
}

void HeadServer::dismiss(GuestPlace guest) {
  ++turned_away_;
  guests_.erase(guest);
}

/// A busy head may not have come to read what a guest has said: it counts all the same.
bool HeadServer::hear_out(GuestPlace guest) {
  const auto number = guest->number;
  guest->connection->read_more();
  return std::ranges::find(guests_, number, &Guest::number) != guests_.end();
}

HeadServer::GuestPlace HeadServer::find_stranger() {
  return std::ranges::find(guests_, false, &Guest::knows_nonce);
}

bool HeadServer::push_out(Newest newest) {
  while (true) {
    const auto oldest = find_stranger();
    if (oldest == guests_.end()) return false;
    if (newest == Newest::stays && std::next(oldest) == guests_.end()) return false;
    if (!hear_out(oldest)) return true;
    if (oldest->knows_nonce) continue;
    dismiss(oldest);
    return true;
  }
}

/// Guests stand in the order of their deadlines.
void HeadServer::watch_lateness() {
  if (lateness_ != 0 || guests_.empty()) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(guests_.front().deadline - Clock::now());
  lateness_ = loop_.after(std::max(left, std::chrono::milliseconds(0)), [this] {
    lateness_ = 0;
    dismiss_late();
    watch_lateness();
  });
}

void HeadServer::dismiss_late() {
  const auto now = Clock::now();
  while (!guests_.empty() && guests_.front().deadline <= now) {
    if (hear_out(guests_.begin())) dismiss(guests_.begin());
  }
}

/// The connection stays in the queue, and the loop must not spin on it.
void HeadServer::pause() {
  loop_.change(watch_, 0);
  pause_ = loop_.after(kPause, [this] { loop_.change(watch_, EPOLLIN); });
}

}  // namespace ddp::agent
