#pragma once

#include <torch/types.h>

#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Scales `gradients` down, all by the same factor, to a 2-norm of `max_norm` at most, as Python's
/// clip_grad_norm_ does, byte for byte. Returns the norm before (of no dimension, on the device of the first
/// gradient), which is not read here: the host does not wait for the device. NaN gradients stay NaN.
torch::Tensor clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm);

/// The same for gradients of which each rank of `shards` has some rows, all ranks of the same gradients in
/// the same order: the norm is that of the whole gradients, as in Python with DTensors. A collective.
torch::Tensor clip_sharded_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm,
                                     ProcessGroup& shards);

}  // namespace ddp::trainer
