#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

namespace ddp::trainer {

/// What Python's nn.Linear computes. torch::nn::Linear::forward is addmm with a transposed weight: the same
/// numbers, but under autocast the gradients arrive in another order, so that a DistributedDataParallel has
/// other buckets and, from three ranks on, other last bits.
[[nodiscard]] inline torch::Tensor linear(const torch::nn::Linear& layer, const torch::Tensor& input) {
  return at::linear(input, layer->weight, layer->bias);
}

}  // namespace ddp::trainer
