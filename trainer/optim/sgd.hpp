#pragma once

#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// `sgd`: options momentum, dampening, weight_decay, decay, nesterov, implementation.
[[nodiscard]] std::unique_ptr<Optimizer> make_sgd(const Component& optimizer, NamedTensors parameters);

}  // namespace ddp::trainer
