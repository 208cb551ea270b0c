#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/optim/optimizer.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// The batches of one micro-batch, one for each of this rank's shards.
using MicroBatch = std::vector<Batch>;

/// What one optimizer step is made of: the passes of its micro-batches, whose gradients add up to those of
/// one batch of all their samples, then the update.
class TrainStep {
 public:
  /// Both must outlive this object.
  TrainStep(Strategy& strategy, Optimizer& optimizer) : strategy_(strategy), optimizer_(optimizer) {}

  /// Trains on `micro_batches` (at least one; on the model's device). Returns what each of their passes gave.
  /// A collective.
  std::vector<PassResult> run(std::span<const MicroBatch> micro_batches, double learning_rate);

  /// A step that is not one: the passes without an update.
  ///
  /// The first backward of a DistributedDataParallel reduces all gradients in one bucket, the later ones in
  /// buckets of the order that it has seen; with more than two ranks the order of additions, and so the last
  /// bits, differ. A run that goes on from a checkpoint calls this before it loads the state, so that its
  /// first real step is a "later" one, as it was in the run that it continues. Changes buffers, gradients and
  /// generators; the caller sets them afterwards. A collective.
  void rehearse(const MicroBatch& micro_batch);

 private:
  [[nodiscard]] std::vector<PassResult> pass_all(std::span<const MicroBatch> micro_batches);

  Strategy& strategy_;
  Optimizer& optimizer_;
};

}  // namespace ddp::trainer
