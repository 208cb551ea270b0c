#pragma once

#include <string>

#include "cli/report/model/rank_times.hpp"
#include "cli/report/plot/plots.hpp"

namespace ddp::cli {

/// The plot against the step, as an svg element that is as wide as the page. It is what is seen without the
/// script of the page, which draws it again.
[[nodiscard]] std::string render_plot_svg(const Plot& plot);

/// Ranks from top to bottom, records from left to right. Shades go from the 2nd to the 98th percentile.
[[nodiscard]] std::string render_heat_svg(const RankTimes& times);

/// What the shades of render_heat_svg begin and end with, in milliseconds.
struct HeatRange {
  double lowest = 0, highest = 0;
};
[[nodiscard]] HeatRange heat_range_of(const RankTimes& times);

/// A row of the timeline: `phases` between `begin` and `end`, as an svg element. `failed`: with a mark at the
/// end.
struct TimelineRow {
  std::vector<RunPhase> phases = {};
  std::chrono::system_clock::time_point begin = {};
  std::chrono::system_clock::time_point end = {};
  bool failed = false;
};
[[nodiscard]] std::string render_timeline_svg(const TimelineRow& row);

}  // namespace ddp::cli
