#include "trainer/loop/step_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

void StepTimes::add(Duration total, Duration data_wait) {
  seconds_.push_back(seconds_of(total));
  data_wait_ += seconds_of(data_wait);
}

StepTimeSummary StepTimes::summary() const {
  if (seconds_.empty()) return {};
  std::vector<double> sorted = seconds_;
  std::ranges::sort(sorted);
  return {.steps = std::ssize(sorted),
          .total = std::accumulate(sorted.begin(), sorted.end(), 0.0),
          .data_wait = data_wait_,
          .p50 = percentile(sorted, 50),
          .p90 = percentile(sorted, 90),
          .p99 = percentile(sorted, 99),
          .max = sorted.back()};
}

}  // namespace ddp::trainer
