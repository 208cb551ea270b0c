#include "trainer/loop/step/totals.hpp"

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

// Counts stay exact in a double up to 2^53 samples.
std::vector<double> numbers_of(const Totals& totals) {
  return {totals.loss, static_cast<double>(totals.correct), static_cast<double>(totals.samples)};
}

Totals totals_of(const double* numbers) {
  return {numbers[0], static_cast<std::int64_t>(numbers[1]), static_cast<std::int64_t>(numbers[2])};
}

torch::Tensor sum_numbers(const std::vector<double>& mine, ProcessGroup& group) {
  torch::Tensor sums = at::tensor(mine, at::kDouble);
  group.all_reduce(sums);
  return sums;
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
  return totals_of(sum_numbers(numbers_of(mine), group).const_data_ptr<double>());
}

// Each rank writes its times where all others write zeros.
SharedWindow share_window(const Totals& mine, const RankTime& time, ProcessGroup& group) {
  std::vector<double> numbers = numbers_of(mine);
  const std::size_t first = numbers.size();
  numbers.resize(first + 2 * static_cast<std::size_t>(group.size()));
  const std::size_t own = first + 2 * static_cast<std::size_t>(group.rank());
  numbers[own] = time.total;
  numbers[own + 1] = time.data_wait;
  const torch::Tensor sums = sum_numbers(numbers, group);
  const auto* sum = sums.const_data_ptr<double>();
  SharedWindow window{totals_of(sum), {}};
  for (std::size_t i = first; i < numbers.size(); i += 2) window.times.push_back({sum[i], sum[i + 1]});
  return window;
}

}  // namespace ddp::trainer
