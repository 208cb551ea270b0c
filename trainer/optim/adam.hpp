#pragma once

#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// `adam`: options learning_rate, beta1, beta2, eps, weight_decay.
[[nodiscard]] std::unique_ptr<Optimizer> make_adam(const Component& optimizer, NamedTensors parameters);

}  // namespace ddp::trainer
