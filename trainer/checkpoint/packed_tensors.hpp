#pragma once

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Copies `tensors`, with their names, types and shapes, into one row of bytes on the CPU: a message.
[[nodiscard]] torch::Tensor pack_tensors(const NamedTensors& tensors);

/// What pack_tensors() has packed. The tensors are views of `packed`.
[[nodiscard]] NamedTensors unpack_tensors(const torch::Tensor& packed);

}  // namespace ddp::trainer
