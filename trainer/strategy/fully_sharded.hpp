#pragma once

#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// `fsdp`: every rank works on one shard of the batch, and keeps some rows of each parameter, with their
/// gradients and optimizer state; see FullyShardedModule.
[[nodiscard]] std::unique_ptr<Strategy> make_fully_sharded(const StrategyParts& parts);

/// `hsdp`: the same within groups of `hsdp.shard` ranks in a row (0: the ranks of a node). Each group has the
/// whole model; the gradients are averaged over the groups.
[[nodiscard]] std::unique_ptr<Strategy> make_hybrid_sharded(const StrategyParts& parts);

}  // namespace ddp::trainer
