#include "jobenv/agent/mpi/pmix_connections.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/agent/process/socket_traffic.hpp"
#include "jobenv/record/process_descriptor.hpp"

namespace ddp::agent {
namespace {

/// A rank that dies sooner after it has connected ends the step at once.
constexpr std::chrono::milliseconds kShortestPmixPause{10};
constexpr std::chrono::milliseconds kLongestPmixPause{1000};
/// Looks take a hundredth of the time at most, and ranks that have not connected for long are looked at less
/// often.
constexpr int kPausePerLook = 100;
constexpr int kPausesOfAge = 100;

/// Of pidfd_getfd, on all architectures; older headers do not name it.
constexpr long kGetDescriptorCall = 438;

/// "slurm.pmix.7.0.0;tcp4://10.0.0.1:4000", as the variables PMIX_SERVER_URI2, PMIX_SERVER_URI41 and so on
/// say.
std::vector<std::string> servers_in(const EnvMap& environment) {
  std::vector<std::string> servers;
  for (const auto& [name, value] : environment.variables()) {
    const std::size_t scheme = value.find(";tcp");
    const std::size_t address = value.find("://", scheme);
    if (!name.starts_with("PMIX_SERVER_URI") || scheme == std::string::npos || address == std::string::npos)
      continue;
    if (const auto server = SocketAddress::parse(std::string_view(value).substr(address + 3)))
      servers.push_back(server->endpoint());
  }
  return servers;
}

FileDescriptor copy_of(int descriptor, const FileDescriptor& process) {
  return FileDescriptor(static_cast<int>(syscall(kGetDescriptorCall, process.get(), descriptor, 0)));
}

}  // namespace

PmixConnections::PmixConnections(EventLoop& loop, const EnvMap& environment)
    : loop_(loop), servers_(servers_in(environment)) {}

void PmixConnections::watch(pid_t rank) {
  if (servers_.empty()) return;
  ranks_.insert(rank);
  loop_.cancel(timer_);
  newest_ = Clock::now();
  timer_ = loop_.after(kShortestPmixPause, [this] { look(); });
}

void PmixConnections::look() {
  const auto begin = Clock::now();
  std::erase_if(ranks_, [this](pid_t rank) { return copy_from(rank); });
  if (ranks_.empty()) return;
  const auto end = Clock::now();
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::max((end - begin) * kPausePerLook, (end - newest_) / kPausesOfAge));
  timer_ = loop_.after(std::clamp(pause, kShortestPmixPause, kLongestPmixPause), [this] { look(); });
}

bool PmixConnections::copy_from(pid_t rank) {
  for (const pid_t pid : process_tree(rank)) {
    const FileDescriptor process = open_process_descriptor(pid);
    for (const OpenSocket& socket : open_sockets(pid)) {
      FileDescriptor copy = copy_of(socket.descriptor, process);
      if (!copy.is_open() || !leads_to_server(copy.get())) continue;
      copies_.push_back(std::move(copy));
      return true;
    }
  }
  return false;
}

bool PmixConnections::leads_to_server(int socket) const {
  const auto end = SocketAddress::remote_end(socket);
  return end && std::ranges::find(servers_, end->endpoint()) != servers_.end();
}

}  // namespace ddp::agent
