#include "trainer/loop/totals.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {

void Totals::add(const torch::Tensor& mean_loss, const torch::Tensor& logits, const torch::Tensor& targets) {
  const at::NoGradGuard no_grad;
  const std::int64_t count = targets.size(0);
  loss += mean_loss.item<double>() * static_cast<double>(count);
  correct += logits.argmax(1).eq(targets).sum().item<std::int64_t>();
  samples += count;
}

Totals sum_over_ranks(const Totals& mine, ProcessGroup& group) {
  // Counts stay exact in a double up to 2^53 samples.
  torch::Tensor sums = at::tensor(
      {mine.loss, static_cast<double>(mine.correct), static_cast<double>(mine.samples)}, at::kDouble);
  group.all_reduce(sums);
  const auto* sum = sums.const_data_ptr<double>();
  return {sum[0], static_cast<std::int64_t>(sum[1]), static_cast<std::int64_t>(sum[2])};
}

}  // namespace ddp::trainer
