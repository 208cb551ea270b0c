#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ddp/trainer/model.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Parameters, then buffers, under PyTorch's names. The tensors are shared with the model.
[[nodiscard]] NamedTensors model_state(const Model& model);

struct TensorShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// Throws std::invalid_argument unless `saved`, what a checkpoint has, are exactly the model's names and
/// shapes.
void require_model_shapes(const Model& model, const std::vector<TensorShape>& saved);

/// Calls `load` for each tensor of `state` with its name in the model. Throws std::invalid_argument unless
/// `state` holds exactly the model's names and shapes.
void load_model_state(const Model& model, const NamedTensors& state,
                      const std::function<void(const std::string& name, const torch::Tensor& saved)>& load);

}  // namespace ddp::trainer
