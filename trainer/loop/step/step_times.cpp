#include "trainer/loop/step/step_times.hpp"

#include <algorithm>
#include <cmath>

namespace ddp::trainer {
namespace {

double seconds_of(StepTimes::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// `sorted` is not empty.
double percentile(const std::vector<double>& sorted, double percent) {
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

void StepTimes::add(const Step& step) {
  seconds_.push_back(seconds_of(step.total));
  sums_.total += step.total;
  sums_.data_wait += step.data_wait;
  sums_.forward += step.forward;
  sums_.backward += step.backward;
  sums_.update += step.update;
}

StepTimeSummary StepTimes::summary() const {
  if (seconds_.empty()) return {};
  std::vector<double> sorted = seconds_;
  std::ranges::sort(sorted);
  const auto mean = [steps = static_cast<double>(sorted.size())](Duration sum) {
    return seconds_of(sum) / steps;
  };
  return {.steps = std::ssize(sorted),
          .total = seconds_of(sums_.total),
          .data_wait = seconds_of(sums_.data_wait),
          .parts = {mean(sums_.forward), mean(sums_.backward), mean(sums_.update)},
          .p50 = percentile(sorted, 50),
          .p90 = percentile(sorted, 90),
          .p99 = percentile(sorted, 99),
          .max = sorted.back()};
}

}  // namespace ddp::trainer
