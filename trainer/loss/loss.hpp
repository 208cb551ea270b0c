#pragma once

#include <torch/types.h>

#include <functional>

#include "ddp/trainer/component.hpp"

namespace ddp::trainer {

/// The loss of one batch: the mean over its samples, of no dimension, through which gradients flow to
/// `logits`, [batch, classes]. `targets` is on the same device. May be called from several threads at once.
using Loss = std::function<torch::Tensor(const torch::Tensor& logits, const torch::Tensor& targets)>;

/// The loss that `loss.name` names, in the training and in evaluations.
[[nodiscard]] Loss make_loss(const Component& loss);

}  // namespace ddp::trainer
