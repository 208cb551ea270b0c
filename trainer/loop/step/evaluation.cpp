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

std::int64_t divide_up(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

}  // namespace

std::optional<Totals> evaluate(Strategy& strategy, const Loss& loss, const Dataset& dataset,
                               LoaderOptions options, AgreedStop stop, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  options.tail = Tail::keep;
  auto share = share_of(dataset.size(), group);
  const std::int64_t own_batches = divide_up(std::ssize(share), options.batch_size);
  const std::int64_t most_batches = divide_up(dataset.size(), options.batch_size * group.size());
  // Where forward is a collective, a rank that has a batch less takes part in the last one with a sample that
  // does not count.
  if (strategy.parameters_held() == Held::share && own_batches < most_batches) share.push_back(0);
  Loader loader(dataset, options);
  loader.start(std::move(share), 0);
  BatchTotals mine;
  strategy.model().eval();
  std::int64_t done = 0;
  while (done < most_batches) {
    if (loader.remaining() > 0) {
      const Batch batch = loader.next();
      const torch::Tensor logits = strategy.evaluate(batch.inputs);
      if (done < own_batches) mine.add(loss(logits, batch.targets), logits, batch.targets);
    }
    count_part();
    if (++done < most_batches && stop.after_step().stop) break;
  }
  strategy.model().train();
  if (done < most_batches) return std::nullopt;
  return sum_over_ranks(mine.sum(), group);
}

}  // namespace ddp::trainer
