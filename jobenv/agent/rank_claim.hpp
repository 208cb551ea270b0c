#pragma once

#include <optional>
#include <string>

#include "jobenv/record/file_descriptor.hpp"

namespace ddp::agent {

/// Says on its host that ranks of a node of a run live there: an address of the abstract namespace of Unix
/// sockets, which goes with the process that holds it.
class RankClaim {
 public:
  /// nullopt: another process holds it.
  [[nodiscard]] static std::optional<RankClaim> take(const std::string& run_dir, int node_rank);

 private:
  explicit RankClaim(FileDescriptor socket) : socket_(std::move(socket)) {}

  FileDescriptor socket_;
};

}  // namespace ddp::agent
