#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/loss/loss.hpp"
#include "trainer/optim/grad_scaler.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// The batches of one micro-batch, one for each of this rank's shards.
using MicroBatch = std::vector<Batch>;

struct TrainStepOptions {
  Precision precision = Precision::fp32;
  std::optional<double> clip_grad_norm;
  Loss loss;
};

/// What one optimizer step is made of: the passes of its micro-batches, whose gradients add up to those of
/// one batch of all their samples, then the update. As in the usual Python loop, a smaller last micro-batch
/// counts as much as a whole one.
class TrainStep {
 public:
  /// `strategy`, `optimizer` and `group` must outlive this object. For a precision that `device` has.
  TrainStep(Strategy& strategy, Optimizer& optimizer, ProcessGroup& group, const at::Device& device,
            const TrainStepOptions& options);

  /// The passes of `micro_batches` (at least one; on the model's device), from no gradient on. Returns what
  /// each of them gave. A collective.
  [[nodiscard]] std::vector<PassResult> accumulate(std::span<const MicroBatch> micro_batches);

  /// The update by the gradients that accumulate() has left; left out, on all ranks, when one of a float16
  /// pass was not finite. Returns the 2-norm of all gradients before they were clipped, of no dimension, on
  /// the device: undefined when they are not clipped, and on ranks that do not update. A collective.
  torch::Tensor update(double learning_rate);

  /// Does the passes of a step without its update, so that the buckets of the gradients are those of later
  /// steps.
  ///
  /// The first backward of a DistributedDataParallel, the first two with a static graph, reduces all
  /// gradients in one bucket, the later ones in buckets of the order that it has seen; with more than two
  /// ranks the order of additions, and so the last bits, differ. A run that goes on from a checkpoint calls
  /// this before it loads the state, as often as the run that it continues had such steps, so that its first
  /// real step is a "later" one if it was one there. It changes buffers, gradients and generators; the caller
  /// sets them afterwards. A collective.
  void settle_buckets(const MicroBatch& micro_batch);

  /// What a checkpoint needs besides the model and the optimizer.
  [[nodiscard]] NamedTensors state() const;
  void load_state(const NamedTensors& state);

 private:
  [[nodiscard]] std::vector<PassResult> pass_all(std::span<const MicroBatch> micro_batches);

  [[nodiscard]] bool gradients_are_finite();

  Strategy& strategy_;
  Optimizer& optimizer_;
  ProcessGroup& group_;
  at::Device device_;
  TrainStepOptions options_;
  std::optional<GradScaler> scaler_;
};

}  // namespace ddp::trainer
