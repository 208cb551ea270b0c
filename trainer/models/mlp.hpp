#pragma once

#include <memory>

#include "ddp/trainer/component.hpp"
#include "ddp/trainer/model.hpp"

namespace ddp::trainer {

/// `mlp`: options input_dim, hidden_dims, num_classes.
[[nodiscard]] std::shared_ptr<Model> make_mlp(const Component& model);

}  // namespace ddp::trainer
