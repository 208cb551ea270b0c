#include "cli/report/axis.hpp"

#include <algorithm>
#include <cmath>

namespace ddp::cli {
namespace {

double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double part = rough / power;
  if (part <= 1) return power;
  if (part <= 2) return 2 * power;
  return part <= 5 ? 5 * power : 10 * power;
}

}  // namespace

std::vector<double> ticks_of(const AxisRange& range, int count) {
  const double step = round_step((range.highest - range.lowest) / std::max(count, 1));
  std::vector<double> ticks;
  for (double number = std::ceil(range.lowest / step); number * step <= range.highest; ++number)
    ticks.push_back(number * step);
  return ticks;
}

AxisRange padded_range(double lowest, double highest) {
  if (lowest >= highest) {
    const double around = lowest == 0 ? 1 : std::abs(lowest) / 10;
    return {lowest - around, highest + around};
  }
  const double room = (highest - lowest) * 0.06;
  const double below = lowest >= 0 ? std::max(0.0, lowest - room) : lowest - room;
  return {below, highest + room};
}

}  // namespace ddp::cli
