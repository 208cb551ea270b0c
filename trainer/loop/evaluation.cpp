#include "trainer/loop/evaluation.hpp"

#include <ATen/ATen.h>

#include "trainer/loop/epoch_batches.hpp"

namespace ddp::trainer {
namespace {

// Unlike a DistributedSampler's, the shares are not made equal: a rank may have a sample less.
std::vector<std::int64_t> share_of(std::int64_t samples, const ProcessGroup& group) {
  std::vector<std::int64_t> share;
  for (std::int64_t i = group.rank(); i < samples; i += group.size()) share.push_back(i);
  return share;
}

}  // namespace

Totals evaluate(Model& model, const Dataset& dataset, std::int64_t batch_size, const at::Device& device,
                ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  const EpochBatches batches(dataset, share_of(dataset.size(), group), batch_size, Tail::keep);
  BatchTotals mine;
  model.eval();
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const Batch batch = batches.at(i);
    const torch::Tensor targets = batch.targets.to(device);
    const torch::Tensor logits = model.forward(batch.inputs.to(device));
    mine.add(at::cross_entropy_loss(logits, targets), logits, targets);
  }
  model.train();
  return sum_over_ranks(mine.sum(), group);
}

}  // namespace ddp::trainer
