#pragma once

#include "ddp/trainer/distributed_data_parallel.hpp"

namespace ddp::trainer {

/// Throws std::invalid_argument on all ranks, with the rank and the parameter, unless `module` has the same
/// parameters and buffers on all of them (names, order, types, shapes, strides, requires_grad) and `options`
/// are the same. Values are not compared. A collective.
void require_same_module(const torch::nn::Module& module, const DistributedDataParallelOptions& options,
                         ProcessGroup& group);

}  // namespace ddp::trainer
