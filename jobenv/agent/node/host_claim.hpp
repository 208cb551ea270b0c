#pragma once

#include <optional>
#include <string>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// Says on its host what is there once at a time: an address of the abstract namespace of Unix sockets, which
/// goes with the last process that holds it.
class HostClaim {
 public:
  /// Of the ranks of a node of a run, whichever head they belong to. nullopt: another process holds it.
  [[nodiscard]] static std::optional<HostClaim> on_ranks(const std::string& run_dir, int node_rank);
  /// Of the agent of a node that serves the head which knows `nonce`.
  [[nodiscard]] static std::optional<HostClaim> on_agent(const std::string& nonce, int node_rank);

  /// For a process that is to hold it, too; of this object.
  [[nodiscard]] int descriptor() const { return socket_.get(); }

 private:
  explicit HostClaim(FileDescriptor socket) : socket_(std::move(socket)) {}
  [[nodiscard]] static std::optional<HostClaim> take(const std::string& what, const std::string& of,
                                                     int node_rank);

  FileDescriptor socket_;
};

}  // namespace ddp::agent
