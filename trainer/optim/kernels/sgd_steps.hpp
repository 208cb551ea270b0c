#pragma once

#include <torch/types.h>

#include <vector>

#include "trainer/optim/kernels/implementation.hpp"

namespace ddp::trainer {

struct SgdOptions {
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

/// Lists of the same length: tensor i of each belongs to the same parameter.
struct SgdTensors {
  std::vector<torch::Tensor> parameters;
  std::vector<torch::Tensor> gradients;
  std::vector<torch::Tensor>
      momentum;  ///< undefined before a parameter's first update; empty without momentum
};

using SgdStep = void (*)(const SgdOptions& options, double learning_rate, SgdTensors& tensors);

/// One update of all tensors; fills momentum buffers that are undefined. Called without grad mode.
[[nodiscard]] SgdStep sgd_step(Implementation implementation);

}  // namespace ddp::trainer
