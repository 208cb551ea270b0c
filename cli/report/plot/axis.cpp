#include "cli/report/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/text/number_text.hpp"

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
  const double first = std::ceil(range.lowest / step);
  for (int k = 0; k <= 4 * count + 4; ++k) {
    const double tick = (first + k) * step;
    if (!(tick <= range.highest)) break;
    ticks.push_back(tick);
  }
  return ticks;
}

std::string render_tick(double tick, const std::vector<double>& ticks) {
  const double step = ticks.size() < 2 ? 1 : ticks[1] - ticks[0];
  if (step >= 1 || step < 1e-6) return render_number(tick);
  return fmt::format("{:.{}f}", tick, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

AxisRange padded_range(double lowest, double highest) {
  const double size = std::max(std::abs(lowest), std::abs(highest));
  if (highest - lowest <= size * 1e-9) {
    const double around = lowest == 0 ? 1 : std::abs(lowest) / 10;
    return {lowest - around, highest + around};
  }
  const double room = (highest - lowest) * 0.06;
  const double below = lowest >= 0 ? std::max(0.0, lowest - room) : lowest - room;
  return {below, highest + room};
}

}  // namespace ddp::cli
