#pragma once

#include <torch/types.h>

#include <vector>

#include "trainer/optim/kernels/implementation.hpp"

namespace ddp::trainer {

enum class WeightDecay {
  l2,         ///< a part of the gradient, as in Adam
  decoupled,  ///< of the parameter itself, as in AdamW
};

struct AdamOptions {
  double beta1 = 0;
  double beta2 = 0;
  double eps = 0;
  double weight_decay = 0;
  WeightDecay decay = WeightDecay::l2;
};

/// Lists of the same length: tensor i of each belongs to the same parameter.
struct AdamTensors {
  std::vector<torch::Tensor> parameters;
  std::vector<torch::Tensor> gradients;
  std::vector<torch::Tensor> averages;  ///< of gradients
  std::vector<torch::Tensor> squares;   ///< averages of their squares
  std::vector<torch::Tensor> steps;     ///< updates done; float32, of one number, as in Python
};

using AdamStep = void (*)(const AdamOptions& options, double learning_rate, AdamTensors& tensors);

/// One update of all tensors, of Adam or AdamW. Called without grad mode.
[[nodiscard]] AdamStep adam_step(Implementation implementation);

}  // namespace ddp::trainer
