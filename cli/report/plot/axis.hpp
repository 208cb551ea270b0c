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

/// A number as it stands at a tick: with the digits in which neighbours differ.
[[nodiscard]] std::string render_tick(double tick, const std::vector<double>& ticks);

/// With some room at both ends; below zero only where `lowest` is. A single value gets a range around it.
[[nodiscard]] AxisRange padded_range(double lowest, double highest);

}  // namespace ddp::cli
