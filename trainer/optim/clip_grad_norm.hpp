#pragma once

#include <torch/types.h>

#include <vector>

namespace ddp::trainer {

/// Scales `gradients` down, all by the same factor, to a 2-norm of `max_norm` at most, as Python's
/// clip_grad_norm_ does, byte for byte. Returns the norm before (of no dimension, on the device of the first
/// gradient), which is not read here: the host does not wait for the device. NaN gradients stay NaN.
torch::Tensor clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm);

}  // namespace ddp::trainer
