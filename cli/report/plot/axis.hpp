#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// A range of values; lowest < highest.
struct AxisRange {
  double lowest = 0;
  double highest = 1;

  /// 0 to 1 inside of the range.
  [[nodiscard]] double place_of(double value) const { return (value - lowest) / (highest - lowest); }
};

/// Round numbers in a range, about `count` of them: multiples of 1, 2 or 5 times a power of ten.
[[nodiscard]] std::vector<double> ticks_of(const AxisRange& range, int count);

/// A step that is named below a plot.
struct StepTick {
  double step = 0;
  double half_width = 0;  ///< of its text, as a share of a narrow plot
};

/// Round whole numbers, and the last step where there is room for it.
[[nodiscard]] std::vector<StepTick> step_ticks_of(const AxisRange& range, int count);

/// A number as it stands at a tick: with the digits in which neighbours differ.
[[nodiscard]] std::string render_tick(double tick, const std::vector<double>& ticks);

/// With some room at both ends; below zero only where `lowest` is. A single value gets a range around it.
[[nodiscard]] AxisRange padded_range(double lowest, double highest);

/// Of values within 0 to 1: as padded_range, and of a single value all of it.
[[nodiscard]] AxisRange padded_share_range(double lowest, double highest);

}  // namespace ddp::cli
