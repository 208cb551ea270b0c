#pragma once

#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// `data_parallel`: one process with `data_parallel.replicas` copies of the model, each on a device of its
/// own (CUDA) or in a thread of its own (CPU) with its own shard. Copy 0 takes the gradients of all and is
/// updated; before each step the others take its parameters and buffers. What torch.nn.DataParallel does in
/// Python, with the shards of `ddp`.
[[nodiscard]] std::unique_ptr<Strategy> make_data_parallel(const StrategyParts& parts);

}  // namespace ddp::trainer
