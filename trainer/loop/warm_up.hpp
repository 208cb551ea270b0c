#pragma once

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// A step that is not one: forward and backward of `batch` (on the model's device) without an update.
///
/// The first backward of a DistributedDataParallel reduces all gradients in one bucket, the later ones in
/// buckets of the order that it has seen; with more than two ranks the order of additions, and so the last
/// bits, differ. A run that goes on from a checkpoint calls this before it loads the state, so that its first
/// real step is a "later" one, as it was in the run that it continues. Changes buffers, gradients and
/// generators; the caller sets them afterwards. A collective.
void warm_up(DistributedDataParallel& model, Optimizer& optimizer, const Batch& batch);

}  // namespace ddp::trainer
