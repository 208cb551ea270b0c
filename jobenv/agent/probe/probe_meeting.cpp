#include "jobenv/agent/probe/probe_meeting.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/probe/probe_facts.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr std::chrono::seconds kGathering{30};
constexpr std::chrono::seconds kPatience{5};  // with one that has connected
constexpr std::chrono::seconds kSeeing{5};    // until a shared file system shows another host's file
constexpr milliseconds kPause{50};
constexpr int kClockQuestions = 8;
constexpr std::size_t kMaxLine = 256;

void set_patience(int socket, std::chrono::seconds patience) {
  const timeval time{patience.count(), 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);  // for connect, too
}

bool send_line(int socket, const std::string& text) {
  const std::string line = text + "\n";
  return send(socket, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

std::optional<std::string> receive_line(int socket) {
  std::string line;
  for (char byte = 0; line.size() < kMaxLine; line += byte) {
    if (recv(socket, &byte, 1, 0) != 1) return std::nullopt;
    if (byte == '\n') return line;
  }
  return std::nullopt;
}

std::int64_t clock_microseconds() {
  return std::chrono::duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::string rendezvous_of(const JobEnvironment& job) {
  return job.master_address + ":" + std::to_string(job.master_port);
}

// --- rank 0 ---

struct Guest {
  FileDescriptor socket;
  Readiness readiness = Readiness::unable;
};
using Guests = std::map<int, Guest>;

Expected<FileDescriptor> listen_at(const JobEnvironment& job) {
  const auto address = SocketAddress::parse(job.master_address, job.master_port);
  if (!address) return tl::unexpected(address.error());
  FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  // The agent holds the port for whoever says this.
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(socket.get(), address->data(), address->size()) != 0 || listen(socket.get(), SOMAXCONN) != 0)
    return fail_errno(ExitCode::run_failed, "cannot listen at " + rendezvous_of(job), errno);
  return socket;
}

/// The rank that introduces itself with the nonce; nullopt for a stranger.
std::optional<int> receive_rank(int socket, const JobEnvironment& job) {
  const auto line = receive_line(socket);
  if (!line || !line->starts_with(job.nonce + " ")) return std::nullopt;
  const auto rank = parse_whole_number(std::string_view(*line).substr(job.nonce.size() + 1));
  if (!rank || *rank < 1 || *rank >= job.world_size) return std::nullopt;
  return static_cast<int>(*rank);
}

/// Tells the time as often as it is asked, until the guest says whether it is ready.
std::optional<Readiness> serve_time(int socket) {
  while (const auto line = receive_line(socket)) {
    if (*line == "ready") return Readiness::ready;
    if (*line == "unable") return Readiness::unable;
    if (*line != "time" || !send_line(socket, std::to_string(clock_microseconds()))) break;
  }
  return std::nullopt;
}

void receive_guest(FileDescriptor socket, const JobEnvironment& job, Guests& guests) {
  set_patience(socket.get(), kPatience);
  const auto rank = receive_rank(socket.get(), job);
  const auto readiness = rank ? serve_time(socket.get()) : std::nullopt;
  if (readiness) guests[*rank] = Guest{std::move(socket), *readiness};
}

Guests gather_guests(int listening, const JobEnvironment& job) {
  Guests guests;
  const auto deadline = steady_clock::now() + kGathering;
  while (static_cast<int>(guests.size()) < job.world_size - 1) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
    pollfd source{listening, POLLIN, 0};
    if (left <= 0 || poll(&source, 1, static_cast<int>(left)) == 0) break;
    FileDescriptor socket(accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.is_open()) receive_guest(std::move(socket), job, guests);
  }
  return guests;
}

std::string describe_missing(const Guests& guests, const JobEnvironment& job) {
  std::string ranks;
  for (int rank = 1; rank < job.world_size; ++rank) {
    if (!guests.contains(rank)) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  }
  return ranks.empty() ? "" : "ranks that did not connect to " + rendezvous_of(job) + ": " + ranks;
}

bool sees_file_of(int rank, const JobEnvironment& job) {
  const auto deadline = steady_clock::now() + kSeeing;
  while (true) {
    const auto text = load_file(seen_file(job, rank));
    if (text && *text == job.nonce) return true;
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
}

/// `guests` have written their files before they came.
std::string check_shared_files(const Guests& guests, const JobEnvironment& job) {
  std::string hosts;
  int first_rank = 0;
  for (std::size_t node = 0; node < job.tasks_per_node.size(); ++node) {
    if (node > 0 && guests.contains(first_rank) && !sees_file_of(first_rank, job))
      hosts += (hosts.empty() ? "" : ", ") + job.hostnames.at(node);
    first_rank += job.tasks_per_node[node];
  }
  return hosts.empty() ? "" : "does not see the files written on " + hosts;
}

NextStep decide(const Guests& guests, const JobEnvironment& job, Readiness own) {
  const bool all = static_cast<int>(guests.size()) == job.world_size - 1;
  const bool ready = std::ranges::all_of(
      guests, [](const auto& entry) { return entry.second.readiness == Readiness::ready; });
  return all && ready && own == Readiness::ready ? NextStep::go : NextStep::stay;
}

void receive_all(const JobEnvironment& job, Readiness readiness, RunDirs run_dirs, Meeting& meeting) {
  meeting.network.address = job.master_address;
  const auto listening = listen_at(job);
  if (!listening) {
    meeting.network.problem = listening.error().message;
    return;
  }
  const auto guests = gather_guests(listening->get(), job);
  meeting.network.problem = describe_missing(guests, job);
  if (run_dirs == RunDirs::shared) meeting.shared_problem = check_shared_files(guests, job);
  meeting.next = decide(guests, job, readiness);
  for (const auto& [rank, guest] : guests)
    (void)send_line(guest.socket.get(), meeting.next == NextStep::go ? "go" : "stay");
}

// --- the others ---

Expected<FileDescriptor> connect_to_first(const JobEnvironment& job) {
  const auto address = SocketAddress::parse(job.master_address, job.master_port);
  if (!address) return tl::unexpected(address.error());
  const auto deadline = steady_clock::now() + kGathering;
  while (true) {
    FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    set_patience(socket.get(), kPatience);
    if (connect(socket.get(), address->data(), address->size()) == 0) return socket;
    const int error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    if (steady_clock::now() > deadline)
      return fail_errno(ExitCode::run_failed, "cannot connect to " + rendezvous_of(job), error);
    std::this_thread::sleep_for(kPause);  // rank 0 may not listen yet
  }
}

/// The answer with the shortest way counts: the error is at most half of that way.
bool compare_clocks(int socket, NetworkFacts& network) {
  auto shortest = microseconds::max();
  for (int question = 0; question < kClockQuestions; ++question) {
    const auto before = clock_microseconds();
    const auto start = steady_clock::now();
    if (!send_line(socket, "time")) return false;
    const auto answer = receive_line(socket);
    const auto way = std::chrono::duration_cast<microseconds>(steady_clock::now() - start);
    const auto there = answer ? parse_whole_number(*answer) : std::nullopt;
    if (!there) return false;
    if (way >= shortest) continue;
    shortest = way;
    const auto here = before + way.count() / 2;
    network.clock_offset_seconds = static_cast<double>(here - *there) / 1e6;
    network.clock_uncertainty_seconds = static_cast<double>(way.count()) / 2e6;
  }
  return true;
}

void visit(const JobEnvironment& job, Readiness readiness, Meeting& meeting) {
  const auto socket = connect_to_first(job);
  if (!socket) {
    meeting.network.problem = socket.error().message;
    return;
  }
  if (const auto own = SocketAddress::local_end(socket->get())) meeting.network.address = own->host();
  const bool heard = send_line(socket->get(), job.nonce + " " + std::to_string(job.rank)) &&
                     compare_clocks(socket->get(), meeting.network) &&
                     send_line(socket->get(), readiness == Readiness::ready ? "ready" : "unable");
  if (!heard) {
    meeting.network.problem = "rank 0 at " + rendezvous_of(job) + " does not answer";
    return;
  }
  set_patience(socket->get(), kGathering + kPatience + kSeeing);  // for those that come after this one
  const auto answer = receive_line(socket->get());
  if (!answer) meeting.network.problem = "rank 0 at " + rendezvous_of(job) + " has stopped answering";
  if (answer == "go") meeting.next = NextStep::go;
}

int bind_free_port(const std::string& host) {
  const auto address = SocketAddress::parse(host, 0);
  if (!address) return 0;
  const FileDescriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind(socket.get(), address->data(), address->size()) != 0) return 0;
  const auto bound = SocketAddress::local_end(socket.get());
  return bound ? bound->port() : 0;
}

}  // namespace

Meeting meet(const JobEnvironment& job, Readiness readiness, RunDirs run_dirs) {
  Meeting meeting;
  if (job.world_size == 1) {
    meeting.network.address = job.master_address;
    meeting.next = readiness == Readiness::ready ? NextStep::go : NextStep::stay;
  } else if (job.rank == 0) {
    receive_all(job, readiness, run_dirs, meeting);
  } else {
    visit(job, readiness, meeting);
  }
  meeting.network.interface = interface_with_address(meeting.network.address);
  meeting.network.free_port = bind_free_port(meeting.network.address);
  return meeting;
}

}  // namespace ddp::agent
