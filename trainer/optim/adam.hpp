#pragma once

#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// `adam`: options beta1, beta2, eps, weight_decay, decay, implementation.
[[nodiscard]] std::unique_ptr<Optimizer> make_adam(const Component& optimizer, NamedTensors parameters);

/// `adamw`: the same options; the weight decay does not pass through the gradient.
[[nodiscard]] std::unique_ptr<Optimizer> make_adamw(const Component& optimizer, NamedTensors parameters);

}  // namespace ddp::trainer
