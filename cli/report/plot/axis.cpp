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

bool is_one_value(double lowest, double highest) {
  return highest - lowest <= std::max(std::abs(lowest), std::abs(highest)) * 1e-9;
}

/// Plots are at least so wide, and digits at most.
constexpr double kNarrowPlot = 364, kDigitWidth = 6.6, kBetweenTexts = 10;  // pixels

StepTick step_tick(double step) {
  const auto digits = render_integer(std::llround(step)).size();
  return {step, static_cast<double>(digits) * kDigitWidth / 2 / kNarrowPlot};
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

std::vector<StepTick> step_ticks_of(const AxisRange& range, int count) {
  std::vector<StepTick> ticks;
  for (const double tick : ticks_of(range, count))
    if (std::abs(tick - std::round(tick)) < 1e-6) ticks.push_back(step_tick(std::round(tick)));
  const auto last = step_tick(range.highest);
  const auto end_of_text = [&](const StepTick& tick) { return range.place_of(tick.step) + tick.half_width; };
  const double room = ticks.empty() ? 1 : 1 - 2 * last.half_width - end_of_text(ticks.back());
  if (room > kBetweenTexts / kNarrowPlot) ticks.push_back(last);
  return ticks;
}

std::string render_tick(double tick, const std::vector<double>& ticks) {
  const double step = ticks.size() < 2 ? 1 : ticks[1] - ticks[0];
  if (step >= 1 || step < 1e-6) return render_number(tick);
  return fmt::format("{:.{}f}", tick, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

AxisRange padded_range(double lowest, double highest) {
  if (is_one_value(lowest, highest)) {
    const double around = lowest == 0 ? 1 : std::abs(lowest) / 10;
    return {lowest - around, highest + around};
  }
  const double room = (highest - lowest) * 0.06;
  const double below = lowest >= 0 ? std::max(0.0, lowest - room) : lowest - room;
  return {below, highest + room};
}

AxisRange padded_share_range(double lowest, double highest) {
  return is_one_value(lowest, highest) ? padded_range(0, 1) : padded_range(lowest, highest);
}

}  // namespace ddp::cli
