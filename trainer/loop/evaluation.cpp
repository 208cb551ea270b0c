#include "trainer/loop/evaluation.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {
namespace {

// Unlike a DistributedSampler's, the shares are not made equal: a rank may have a sample less.
std::vector<std::int64_t> share_of(std::int64_t samples, const ProcessGroup& group) {
  std::vector<std::int64_t> share;
  for (std::int64_t i = group.rank(); i < samples; i += group.size()) share.push_back(i);
  return share;
}

}  // namespace

std::optional<Totals> evaluate(Model& model, const Dataset& dataset, LoaderOptions options,
                               const AgreedStop& stop, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  options.tail = Tail::keep;
  Loader loader(dataset, options);
  loader.start(share_of(dataset.size(), group), 0);
  BatchTotals mine;
  model.eval();
  while (loader.remaining() > 0 && !stop.asked()) {
    const Batch batch = loader.next();
    const torch::Tensor logits = model.forward(batch.inputs);
    mine.add(at::cross_entropy_loss(logits, batch.targets), logits, batch.targets);
  }
  model.train();
  if (stop.agreed()) return std::nullopt;
  return sum_over_ranks(mine.sum(), group);
}

}  // namespace ddp::trainer
