#include "cli/rehearsal/checkpoint_interval.hpp"

#include <cmath>

namespace ddp::cli {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

Seconds young_interval(const FailureCosts& costs) {
  return Seconds(std::sqrt(2 * costs.stall.count() * costs.mtbf.count()));
}

Seconds daly_interval(const FailureCosts& costs) {
  if (costs.stall >= 2 * costs.mtbf) return costs.mtbf;
  const double ratio = costs.stall / (2 * costs.mtbf);
  return young_interval(costs) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - costs.stall;
}

Seconds mean_loss(Seconds interval, const FailureCosts& costs) {
  return interval / 2 + costs.write;
}

Seconds worst_loss(Seconds interval, const FailureCosts& costs) {
  return interval + costs.stall + costs.write;
}

double lost_fraction(Seconds interval, const FailureCosts& costs) {
  return costs.stall / interval + (mean_loss(interval, costs) + costs.restart) / costs.mtbf;
}

}  // namespace ddp::cli
