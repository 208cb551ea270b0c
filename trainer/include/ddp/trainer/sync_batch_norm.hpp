#pragma once

#include <torch/types.h>

#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace torch::nn {
class Module;
}

namespace ddp::trainer {

/// While it lives, the layers torch::nn::BatchNorm1d, 2d and 3d of a module take mean and variance over the
/// batches of all ranks, as those that Python's SyncBatchNorm.convert_sync_batchnorm makes. The module keeps
/// its layers and their names, and calls them as before.
///
///     const SyncBatchNorm synchronised(*net, group);
///     DistributedDataParallel model(net, group);
///
/// In training mode forward and backward of each layer are a collective each, which all ranks call in the
/// same order; their batches may be of different sizes. In evaluation mode nothing is exchanged. With one
/// rank the layers are plain ones.
class SyncBatchNorm {
 public:
  /// `module`, on its device already, and `group` must outlive this object; `group` also every backward pass.
  /// Throws InvalidConfiguration when the module has no such layer, and for one that has neither weight nor
  /// running statistics, by which it would be known.
  SyncBatchNorm(const torch::nn::Module& module, ProcessGroup& group);
  SyncBatchNorm(const SyncBatchNorm&) = delete;
  SyncBatchNorm& operator=(const SyncBatchNorm&) = delete;
  ~SyncBatchNorm();

 private:
  std::vector<torch::Tensor> keys_;  // one of each layer
};

}  // namespace ddp::trainer
