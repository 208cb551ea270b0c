#pragma once

#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// `sgd`: options learning_rate, momentum, dampening, weight_decay, nesterov.
[[nodiscard]] std::unique_ptr<Optimizer> make_sgd(const Component& optimizer, NamedTensors parameters);

}  // namespace ddp::trainer
