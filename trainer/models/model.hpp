#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// A classifier: a batch of inputs to a row of logits each. Parameters have the names, the order and, for the
/// same seed, the initial bytes of the Python module that the model's file shows.
class Model : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& input) = 0;
};

/// The model that `model` names, on the CPU, initialised from torch's default generator.
[[nodiscard]] std::shared_ptr<Model> make_model(const Component& model);

}  // namespace ddp::trainer
