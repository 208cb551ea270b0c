#include "trainer/loop/step/evaluation.hpp"

#include <ATen/ATen.h>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {
namespace {

// Unlike a DistributedSampler's, the shares are not made equal: a rank may have a sample less.
std::vector<std::int64_t> share_of(std::int64_t samples, const ProcessGroup& group) {
  std::vector<std::int64_t> share;
  for (std::int64_t i = group.rank(); i < samples; i += group.size()) share.push_back(i);
  return share;
}

/// Of the rank with the longest share.
std::int64_t count_batches(std::int64_t samples, std::int64_t batch_size, const ProcessGroup& group) {
  const std::int64_t global = batch_size * group.size();
  return (samples + global - 1) / global;
}

}  // namespace

std::optional<Totals> evaluate(Model& model, const Loss& loss, const Dataset& dataset, LoaderOptions options,
                               AgreedStop stop, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  options.tail = Tail::keep;
  Loader loader(dataset, options);
  loader.start(share_of(dataset.size(), group), 0);
  BatchTotals mine;
  model.eval();
  auto left = count_batches(dataset.size(), options.batch_size, group);
  while (left > 0) {
    if (loader.remaining() > 0) {
      const Batch batch = loader.next();
      const torch::Tensor logits = model.forward(batch.inputs);
      mine.add(loss(logits, batch.targets), logits, batch.targets);
    }
    count_part();
    if (--left > 0 && stop.after_step().stop) break;
  }
  model.train();
  if (left > 0) return std::nullopt;
  return sum_over_ranks(mine.sum(), group);
}

}  // namespace ddp::trainer
