#include "trainer/loop/warm_up.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {

void warm_up(DistributedDataParallel& model, Optimizer& optimizer, const Batch& batch) {
  at::cross_entropy_loss(model.forward(batch.inputs), batch.targets).backward();
  optimizer.zero_grad();
}

}  // namespace ddp::trainer
