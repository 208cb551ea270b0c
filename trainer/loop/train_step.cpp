#include "trainer/loop/train_step.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {
namespace {

// The mean over several micro-batches: each adds its part of the gradient.
PassResult pass_one(const Forward& forward, const Batch& batch, std::size_t micro_batches) {
  const torch::Tensor logits = forward(batch.inputs);
  const torch::Tensor loss = at::cross_entropy_loss(logits, batch.targets);
  if (micro_batches == 1) {
    loss.backward();
  } else {
    loss.div(static_cast<double>(micro_batches)).backward();
  }
  return {loss.detach(), logits.detach(), batch.targets};
}

}  // namespace

std::vector<PassResult> TrainStep::pass_all(std::span<const MicroBatch> micro_batches) {
  const LocalPass pass = [count = micro_batches.size()](const Forward& forward, const Batch& batch) {
    return pass_one(forward, batch, count);
  };
  std::vector<PassResult> results;
  for (const MicroBatch& micro_batch : micro_batches) {
    const bool last = &micro_batch == &micro_batches.back();
    auto passed =
        strategy_.forward_backward(micro_batch, pass, last ? GradientSync::now : GradientSync::later);
    for (auto& result : passed) results.push_back(std::move(result));
  }
  return results;
}

std::vector<PassResult> TrainStep::run(std::span<const MicroBatch> micro_batches, double learning_rate) {
  optimizer_.zero_grad();
  auto results = pass_all(micro_batches);
  if (strategy_.updates()) optimizer_.step(learning_rate);
  return results;
}

void TrainStep::rehearse(const MicroBatch& micro_batch) {
  (void)pass_all({&micro_batch, 1});
  optimizer_.zero_grad();
}

}  // namespace ddp::trainer
