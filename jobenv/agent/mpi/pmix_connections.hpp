#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// Copies of the ranks' connections to the PMIx server of Slurm, which kills the whole step, the agents too,
/// as soon as one closes before MPI_Finalize. A copy keeps the connection open after the rank has died, so
/// that agents can report how the ranks ended. All close with this.
/// Needs Linux 5.6 (pidfd_getfd): on an older kernel nothing is copied.
class PmixConnections {
 public:
  /// `environment` says where the server is. `loop` must outlive this.
  PmixConnections(EventLoop& loop, const EnvMap& environment);
  PmixConnections(const PmixConnections&) = delete;
  PmixConnections& operator=(const PmixConnections&) = delete;
  ~PmixConnections() { loop_.cancel(timer_); }

  /// Looks for the connection of a rank and its descendants until there is one.
  void watch(pid_t rank);
  void forget(pid_t rank) { ranks_.erase(rank); }

  [[nodiscard]] std::size_t size() const { return copies_.size(); }

 private:
  using Clock = std::chrono::steady_clock;

  void look();
  [[nodiscard]] bool copy_from(pid_t rank);
  [[nodiscard]] bool leads_to_server(int socket) const;

  EventLoop& loop_;
  std::vector<std::string> servers_;  ///< ADDRESS:PORT
  std::set<pid_t> ranks_;             ///< that have not connected yet
  std::vector<FileDescriptor> copies_;
  EventLoop::TimerId timer_ = 0;
  Clock::time_point newest_;  ///< when the last of the ranks started
};

}  // namespace ddp::agent
