#pragma once

#include <memory>

#include "ddp/trainer/component.hpp"
#include "ddp/trainer/model.hpp"

namespace ddp::trainer {

/// `convnet`: option num_classes; for images of 1x28x28.
[[nodiscard]] std::shared_ptr<Model> make_convnet(const Component& model);

}  // namespace ddp::trainer
