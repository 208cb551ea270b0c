#include "trainer/loop/totals.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace ddp::trainer {
namespace {

bool is_plain(const torch::Tensor& logits, const torch::Tensor& targets) {
  return logits.is_cpu() && logits.scalar_type() == at::kFloat && logits.is_contiguous() &&
         logits.dim() == 2 && targets.scalar_type() == at::kLong && targets.is_contiguous();
}

// For a small batch the four operations below take longer than the batch's own forward.
std::int64_t count_correct_plain(const torch::Tensor& logits, const torch::Tensor& targets) {
  const float* row = logits.const_data_ptr<float>();
  const auto* target = targets.const_data_ptr<std::int64_t>();
  const std::int64_t classes = logits.size(1);
  std::int64_t correct = 0;
  for (std::int64_t i = 0; i < logits.size(0); ++i, row += classes)
    correct += std::max_element(row, row + classes) - row == target[i] ? 1 : 0;
  return correct;
}

torch::Tensor count_correct(const torch::Tensor& logits, const torch::Tensor& targets) {
  return logits.argmax(1).eq(targets).sum();
}

}  // namespace

void BatchTotals::add(const torch::Tensor& mean_loss, const torch::Tensor& logits,
                      const torch::Tensor& targets) {
  const at::NoGradGuard no_grad;
  const std::int64_t count = targets.size(0);
  on_host_.samples += count;
  if (logits.is_cpu()) {
    on_host_.loss += mean_loss.item<double>() * static_cast<double>(count);
    on_host_.correct += is_plain(logits, targets) ? count_correct_plain(logits, targets)
                                                  : count_correct(logits, targets).item<std::int64_t>();
    return;
  }
  const torch::Tensor loss = mean_loss.to(at::kDouble).mul(static_cast<double>(count));
  const torch::Tensor correct = count_correct(logits, targets);
  // Replicas of one process are on several devices; the first one's holds the sums.
  loss_ = loss_.defined() ? loss_.add(loss.to(loss_.device())) : loss;
  correct_ = correct_.defined() ? correct_.add(correct.to(correct_.device())) : correct;
}

Totals BatchTotals::sum() const {
  Totals sum = on_host_;
  if (!loss_.defined()) return sum;
  sum.loss += loss_.item<double>();
  sum.correct += correct_.item<std::int64_t>();
  return sum;
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
