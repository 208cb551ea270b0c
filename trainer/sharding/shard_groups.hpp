#pragma once

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// How the ranks share the parameters.
struct ShardGroups {
  ProcessGroup& shards;  ///< the ranks that have one model together; the place is that of the rows
  ProcessGroup* replicas = nullptr;  ///< those that have the same rows, with this rank; null: there are none

  [[nodiscard]] int replica_count() const { return replicas != nullptr ? replicas->size() : 1; }
};

}  // namespace ddp::trainer
