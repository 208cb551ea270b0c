#pragma once

#include <torch/types.h>

#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Gives all ranks the values that `tensors`, the same ones on all of them, have on rank 0. A collective,
/// with few messages.
void broadcast_tensors(const std::vector<torch::Tensor>& tensors, ProcessGroup& group);

}  // namespace ddp::trainer
