#pragma once

#include <memory>
#include <span>

#include "ddp/trainer/components.hpp"

namespace ddp::trainer {

/// The model that `model` names, one of ddptrain's or of `own`, on the CPU, initialised from torch's default
/// generator. Parameters of ddptrain's models have the names, the order and, for the same seed, the initial
/// bytes of the Python module that the model's file shows.
[[nodiscard]] std::shared_ptr<Model> make_model(const Component& model, std::span<const ModelKind> own = {});

}  // namespace ddp::trainer
