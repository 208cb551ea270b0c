#include "jobenv/agent/mpi/pmi_server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ddp::agent {
namespace {

/// What MPICH's own process manager says.
constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxKey = 64;
constexpr std::size_t kMaxValue = 4096;
/// A request is longer than its parts by some words.
constexpr std::size_t kMaxRequest = 16384;

/// Which ranks share a host: without it MPICH takes each rank for a host of its own.
constexpr const char* kMappingKey = "PMI_process_mapping";

std::string render_mapping(const PmiJob& job) {
  return "(vector,(0," + std::to_string(job.nodes) + "," + std::to_string(job.tasks_per_node) + "))";
}

}  // namespace

PmiServer::PmiServer(EventLoop& loop, PmiJob job, Handlers handlers)
    : loop_(loop), job_(std::move(job)), handlers_(std::move(handlers)) {
  pairs_[kMappingKey] = render_mapping(job_);
}

PmiServer::~PmiServer() {
  for (const Client& client : clients_) loop_.forget(client.watch);
}

Expected<int> PmiServer::add(int rank) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail_errno(ExitCode::run_failed, "cannot open a socket for PMI", errno);
  Client& client = clients_.emplace_back();
  client.rank = rank;
  client.socket = FileDescriptor(ends[0]);
  client.rank_end = FileDescriptor(ends[1]);
  const auto watch = loop_.watch(ends[0], EPOLLIN, [this, &client](std::uint32_t) { read(client); });
  if (!watch) return tl::unexpected(watch.error());
  client.watch = *watch;
  return client.rank_end.get();
}

void PmiServer::close_rank_ends() {
  for (Client& client : clients_) client.rank_end = FileDescriptor();
}

void PmiServer::read(Client& client) {
  std::array<char, 4096> buffer;
  const ssize_t size = recv(client.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return hang_up(client);
  client.incoming.append(buffer.data(), static_cast<std::size_t>(size));
  std::size_t end = 0;
  while ((end = client.incoming.find('\n')) != std::string::npos) {
    const std::string line = client.incoming.substr(0, end);
    client.incoming.erase(0, end + 1);
    answer_line(client, line);
  }
  if (client.incoming.size() > kMaxRequest) hang_up(client);
}

/// The rank has ended, or what it says is not PMI: MPI fails there, and the rank's end tells the rest.
void PmiServer::hang_up(Client& client) {
  loop_.forget(client.watch);
  client.socket = FileDescriptor();
  client.incoming.clear();
}

void PmiServer::answer_line(Client& client, std::string_view line) {
  if (line.starts_with("mcmd=")) {
    client.in_spawn = true;
  } else if (!client.in_spawn) {
    answer(client, parse_pmi_request(line));
  } else if (line == "endcmd") {
    client.in_spawn = false;
    say(client, "cmd=spawn_result rc=-1 msg=ddpsubmit_starts_all_ranks_itself");
  }
}

void PmiServer::answer(Client& client, const PmiRequest& request) {
  const std::string& command = request.command;
  if (command == "init") return say(client, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
  if (command == "get_maxes")
    return say(client, "cmd=maxes kvsname_max=" + std::to_string(kMaxName) + " keylen_max=" +
                           std::to_string(kMaxKey) + " vallen_max=" + std::to_string(kMaxValue) + " rc=0");
  if (command == "get_appnum") return say(client, "cmd=appnum appnum=0 rc=0");
  if (command == "get_my_kvsname") return say(client, "cmd=my_kvsname kvsname=" + job_.name + " rc=0");
  if (command == "get_universe_size")
    return say(client, "cmd=universe_size size=" + std::to_string(job_.world_size()) + " rc=0");
  if (command == "put") return put(client, request);
  if (command == "get") return get(client, request);
  if (command == "barrier_in") return enter_barrier(client);
  if (command == "finalize") return say(client, "cmd=finalize_ack rc=0");
  if (command == "abort") return handlers_.on_abort(client.rank, request.field("exitcode"));
  say(client, "cmd=" + command + "_result rc=-1 msg=not_supported");
}

void PmiServer::put(Client& client, const PmiRequest& request) {
  const std::string key = request.field("key");
  const std::string value = request.field("value");
  const bool fits = !key.empty() && key.size() <= kMaxKey && value.size() <= kMaxValue && is_pmi_text(key) &&
                    is_pmi_text(value);
  if (!fits) return say(client, "cmd=put_result rc=-1 msg=invalid_key_or_value");
  const std::size_t size = key.size() + value.size();
  if (size_of_news_ + size > kMaxPmiPiece) pass_news_on();
  pairs_[key] = news_[key] = value;
  size_of_news_ += size;
  say(client, "cmd=put_result rc=0 msg=success");
}

void PmiServer::get(Client& client, const PmiRequest& request) {
  const auto found = pairs_.find(request.field("key"));
  say(client, found == pairs_.end() ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
                                    : "cmd=get_result rc=0 msg=success value=" + found->second);
}

void PmiServer::enter_barrier(Client& client) {
  client.waits = true;
  if (!std::ranges::all_of(clients_, &Client::waits)) return;
  pass_news_on();
  handlers_.on_barrier();
}

void PmiServer::pass_news_on() {
  size_of_news_ = 0;
  if (const PmiPairs news = std::exchange(news_, {}); !news.empty()) handlers_.on_put(news);
}

void PmiServer::end_barrier() {
  for (Client& client : clients_) {
    if (std::exchange(client.waits, false)) say(client, "cmd=barrier_out rc=0");
  }
}

/// A client sends one request, and reads the answer: it finds room in the socket.
void PmiServer::say(Client& client, const std::string& line) {
  const std::string text = line + "\n";
  (void)!send(client.socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace ddp::agent
