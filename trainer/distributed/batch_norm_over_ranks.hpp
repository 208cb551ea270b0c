#pragma once

#include <torch/types.h>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Of a BatchNorm layer; tensors that it has not got are undefined.
struct BatchNormParts {
  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor running_mean;
  torch::Tensor running_var;
  double momentum = 0.1;
  double eps = 1e-5;
};

/// `input`, [batch, channels, ...], normalised by the mean and variance that each channel has in the batches
/// of all ranks, at least one sample each; moves the running statistics towards them, the same on all ranks.
/// A collective, and so is the backward pass when `input` needs a gradient: the loss is meant to be the sum
/// of those of the ranks. `group` must outlive that pass.
[[nodiscard]] torch::Tensor batch_norm_over_ranks(const torch::Tensor& input, const BatchNormParts& parts,
                                                  ProcessGroup& group);

}  // namespace ddp::trainer
