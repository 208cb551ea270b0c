#pragma once

#include "ddp/trainer/model.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Parameters, then buffers, under PyTorch's names. The tensors are shared with the model.
[[nodiscard]] NamedTensors model_state(const Model& model);

/// Copies `state` into the model. Throws std::invalid_argument unless it holds exactly the model's names and
/// shapes.
void load_model_state(Model& model, const NamedTensors& state);

}  // namespace ddp::trainer
