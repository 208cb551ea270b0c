#pragma once

#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// `ddp`: every rank has the whole model and works on one shard; gradients are all-reduced while backward
/// runs.
[[nodiscard]] std::unique_ptr<Strategy> make_all_reduce(const StrategyParts& parts);

}  // namespace ddp::trainer
