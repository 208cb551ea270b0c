#pragma once

#include <memory>

#include "ddp/trainer/component.hpp"
#include "ddp/trainer/model.hpp"

namespace ddp::trainer {

/// torchvision's residual networks, for images [batch, in_channels, height, width]. Options: num_classes,
/// stem, in_channels, zero_init_residual.
[[nodiscard]] std::shared_ptr<Model> make_resnet18(const Component& model);
[[nodiscard]] std::shared_ptr<Model> make_resnet34(const Component& model);
[[nodiscard]] std::shared_ptr<Model> make_resnet50(const Component& model);

}  // namespace ddp::trainer
