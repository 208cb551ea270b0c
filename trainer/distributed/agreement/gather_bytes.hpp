#pragma once

#include <torch/types.h>

#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// On rank 0 the rows of bytes (uint8, on the CPU) of all ranks, by rank; they may differ in length. Nothing
/// on the others. A collective, over Gloo.
[[nodiscard]] std::vector<torch::Tensor> gather_bytes(const torch::Tensor& mine, ProcessGroup& group);

}  // namespace ddp::trainer
