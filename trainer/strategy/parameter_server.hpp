#pragma once

#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// `parameter_server`: rank 0 holds the parameters and, like every other rank, works on one shard. Each step
/// the workers pull the parameters and push their gradients; the server aggregates them and updates. All of
/// it passes through rank 0's link: for comparison, and for teaching, rather than for speed.
[[nodiscard]] std::unique_ptr<Strategy> make_parameter_server(const StrategyParts& parts);

}  // namespace ddp::trainer
