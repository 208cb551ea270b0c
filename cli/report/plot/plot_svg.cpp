#include "cli/report/plot/plot_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/time_text.hpp"
#include "cli/report/plot/axis.hpp"
#include "cli/report/text/escape.hpp"
#include "cli/report/text/number_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostPoints = 300;  // of a line that no script draws
constexpr int kTop = 10, kHeight = 170, kWhole = 222;
constexpr double kWidth = 1000;
constexpr double kMargin = 0.005;  // of the width
constexpr int kShades = 9;

/// A line with few points, and what stands below it in a stack.
struct DrawnLine {
  std::vector<Bucket> buckets;
  BucketValues values;
  std::vector<double> below;
  std::string look;  ///< classes
  bool joined = false;
};

std::vector<DrawnLine> drawn_lines(const Plot& plot) {
  std::vector<DrawnLine> lines;
  for (const auto& line : plot.lines) {
    DrawnLine drawn{join_buckets(line.buckets, kMostPoints),
                    join_values(line.values, line.buckets, kMostPoints),
                    {},
                    fmt::format("c{}{}", line.colour, line.dashed ? " dashed" : ""),
                    line.joined};
    drawn.below.resize(drawn.values.size());
    lines.push_back(std::move(drawn));
  }
  if (plot.form != PlotForm::stack) return lines;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& under = lines[i - 1];
    for (std::size_t k = 0; k < std::min(under.values.size(), lines[i].below.size()); ++k)
      lines[i].below[k] = under.below[k] + (under.values[k] ? under.values[k]->mean : 0);
  }
  return lines;
}

struct Scales {
  AxisRange x, y;

  /// The share of the width at which a step is. A dot has room at both ends.
  [[nodiscard]] double share_of(double step) const { return kMargin + x.place_of(step) * (1 - 2 * kMargin); }
  [[nodiscard]] double left(const Bucket& bucket) const {
    return share_of(static_cast<double>(bucket.step)) * kWidth;
  }
  [[nodiscard]] double top(double value) const {
    return (1 - std::clamp(y.place_of(value), -0.5, 1.5)) * kHeight;
  }
};

Scales scales_of(const Plot& plot, const std::vector<DrawnLine>& lines) {
  double first = HUGE_VAL, last = -HUGE_VAL, lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      if (!line.values[i]) continue;
      first = std::min(first, static_cast<double>(line.buckets[i].step));
      last = std::max(last, static_cast<double>(line.buckets[i].step));
      lowest = std::min(lowest, line.below[i] + line.values[i]->mean);
      highest = std::max(highest, line.below[i] + line.values[i]->mean);
    }
  }
  if (plot.from_zero) lowest = std::min(lowest, 0.0);
  if (first >= last) last = first + 1;
  return {{first, last}, plot.is_share ? padded_share_range(lowest, highest) : padded_range(lowest, highest)};
}

std::string line_path(const DrawnLine& line, const Scales& scales) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (line.values[i]) {
      path += fmt::format("{}{:.0f} {:.1f}", drawing ? "L" : "M", scales.left(line.buckets[i]),
                          scales.top(line.values[i]->mean));
      if (!drawing) path += "h0";  // a point alone is a dot
    }
    drawing = line.values[i] || (line.joined && drawing);
  }
  return path;
}

/// The area between two edges, without the buckets that have no value.
template <class Low, class High>
std::string area_path(const DrawnLine& line, const Scales& scales, Low low, High high) {
  std::string there, back;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (!line.values[i]) continue;
    const double x = scales.left(line.buckets[i]);
    there += fmt::format("{}{:.0f} {:.1f}", there.empty() ? "M" : "L", x, scales.top(high(i)));
    back.insert(0, fmt::format("L{:.0f} {:.1f}", x, scales.top(low(i))));
  }
  return there + back + "z";
}

bool has_band(const DrawnLine& line) {
  return std::ranges::any_of(line.values,
                             [](const auto& value) { return value && value->lowest < value->highest; });
}

std::string render_lines(const Plot& plot, const std::vector<DrawnLine>& lines, const Scales& scales) {
  std::string text;
  for (const auto& line : lines) {
    const auto band = [&](auto low, auto high, const char* look) {
      text +=
          fmt::format(R"(<path class="{} {}" d="{}"/>)", look, line.look, area_path(line, scales, low, high));
    };
    if (plot.form == PlotForm::stack) {
      band([&](std::size_t i) { return line.below[i]; },
           [&](std::size_t i) { return line.below[i] + line.values[i]->mean; }, "area");
      continue;
    }
    if (has_band(line))
      band([&](std::size_t i) { return line.values[i]->lowest; },
           [&](std::size_t i) { return line.values[i]->highest; }, "band");
    text += fmt::format(R"(<path class="line {}" d="{}"/>)", line.look, line_path(line, scales));
  }
  return text;
}

std::string render_grid(const Scales& scales) {
  std::string text =
      fmt::format(R"(<line class="base" x1="0" x2="100%" y1="{0}" y2="{0}"/>)", kTop + kHeight);
  for (const double tick : ticks_of(scales.y, 4))
    text += fmt::format(R"(<line class="grid" x1="0" x2="100%" y1="{0:.1f}" y2="{0:.1f}"/>)",
                        kTop + scales.top(tick));
  return text;
}

std::string render_tick_texts(const Scales& scales) {
  std::string text;
  const auto heights = ticks_of(scales.y, 4);
  for (const double tick : heights)
    text += fmt::format(R"(<text class="tick" x="-6" y="{:.1f}" text-anchor="end">{}</text>)",
                        kTop + scales.top(tick) + 4, render_tick(tick, heights));
  for (const auto& tick : step_ticks_of(scales.x, 5)) {
    const double place = scales.share_of(tick.step);
    const char* anchor = place < tick.half_width ? "start" : place > 1 - tick.half_width ? "end" : "middle";
    text += fmt::format(R"(<text class="tick" x="{:.2f}%" y="{}" text-anchor="{}">{}</text>)", place * 100,
                        kTop + kHeight + 18, anchor, render_integer(std::llround(tick.step)));
  }
  return text + fmt::format(R"(<text class="tick" x="50%" y="{}" text-anchor="middle">step</text>)",
                            kTop + kHeight + 35);
}

/// For those who do not see it.
std::string describe(const Plot& plot) {
  auto text = plot.title + (plot.unit.empty() ? "" : ", " + plot.unit) + ".";
  for (const auto& line : plot.lines) {
    const auto known = [](const auto& value) { return value.has_value(); };
    const auto first = std::ranges::find_if(line.values, known);
    const auto last = std::find_if(line.values.rbegin(), line.values.rend(), known);
    if (first != line.values.end())
      text += fmt::format(" {}: from {} to {}.", line.label, render_number((*first)->mean),
                          render_number((*last)->mean));
    if (text.size() > 600) break;
  }
  return text;
}

std::vector<double> sorted_times(const RankTimes& times) {
  std::vector<double> sorted;
  for (const auto& row : times.ms)
    for (const auto& ms : row)
      if (ms) sorted.push_back(*ms);
  std::ranges::sort(sorted);
  return sorted;
}

int shade_of(double ms, const HeatRange& range) {
  if (range.lowest >= range.highest) return kShades / 2;
  const double place = (ms - range.lowest) / (range.highest - range.lowest);
  return std::clamp(static_cast<int>(place * kShades), 0, kShades - 1);
}

/// Neighbours of one shade are one stroke.
std::string heat_path(const RankTimes& times, const HeatRange& range, int shade) {
  std::string path;
  for (std::size_t row = 0; row < times.ms.size(); ++row) {
    const auto& columns = times.ms[row];
    for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end + 1) {
      const auto is_shade = [&](std::size_t i) {
        return columns[i] && shade_of(*columns[i], range) == shade;
      };
      for (end = begin; end < columns.size() && is_shade(end);) ++end;
      if (end > begin) path += fmt::format("M{} {}.5h{}", begin, row, end - begin);
    }
  }
  return path;
}

}  // namespace

std::string render_plot_svg(const Plot& plot) {
  const auto lines = drawn_lines(plot);
  const auto scales = scales_of(plot, lines);
  return fmt::format(
      R"(<svg class="chart plane" role="img" width="100%" height="{}" aria-label="{}">{}<svg y="{}" width="100%" height="{}" viewBox="0 0 {} {}" preserveAspectRatio="none">{}</svg>{}</svg>)",
      kWhole, escape_html(describe(plot)), render_grid(scales), kTop, kHeight, kWidth, kHeight,
      render_lines(plot, lines, scales), render_tick_texts(scales));
}

HeatRange heat_range_of(const RankTimes& times) {
  const auto sorted = sorted_times(times);
  if (sorted.empty()) return {};
  const auto last = static_cast<double>(sorted.size() - 1);
  return {sorted[static_cast<std::size_t>(last * 0.02)], sorted[static_cast<std::size_t>(last * 0.98)]};
}

std::string render_heat_svg(const RankTimes& times) {
  const auto range = heat_range_of(times);
  const auto rows = times.ranks.size(), columns = times.buckets.size();
  const auto height = std::clamp<std::size_t>(rows * 18, 36, 384);
  std::string strokes, ticks;
  for (int shade = 0; shade < kShades; ++shade) {
    if (const auto path = heat_path(times, range, shade); !path.empty())
      strokes += fmt::format(R"(<path class="h{}" d="{}"/>)", shade, path);
  }
  for (std::size_t part = 0; part <= 4; part += columns < 5 ? 4 : 1) {
    const auto column = part * (columns - 1) / 4;
    ticks +=
        fmt::format(R"(<text class="tick" x="{}%" y="{}" text-anchor="{}">{}</text>)", part * 25, height + 18,
                    part == 0   ? "start"
                    : part == 4 ? "end"
                                : "middle",
                    render_integer(times.buckets[column].step));
    if (columns < 2) break;
  }
  return fmt::format(
      R"(<svg class="chart heat" role="img" width="100%" height="{}" aria-label="Step time of {} ranks over {} records">{}<svg width="100%" height="{}" viewBox="0 0 {} {}" preserveAspectRatio="none">{}</svg></svg>)",
      height + 24, rows, columns, ticks, height, columns, rows, strokes);
}

std::string render_timeline_svg(const TimelineRow& row) {
  const double whole = std::max(1e-3, std::chrono::duration<double>(row.end - row.begin).count());
  const auto place = [&](auto time) {
    return std::clamp(std::chrono::duration<double>(time - row.begin).count() / whole, 0.0, 1.0) * 100;
  };
  std::string bars;
  double end = 0;
  for (const auto& phase : row.phases) {
    end = place(phase.end);
    const auto lasted = std::chrono::duration_cast<std::chrono::milliseconds>(phase.end - phase.begin);
    bars += fmt::format(
        R"(<rect class="p-{}" x="{:.3f}%" width="{:.3f}%" y="3" height="14"><title>{} for {}</title></rect>)",
        name_of(phase.kind), place(phase.begin), std::max(0.15, end - place(phase.begin)),
        name_of(phase.kind), render_elapsed(lasted));
  }
  if (row.failed)
    bars += fmt::format(
        R"(<svg x="{:.3f}%" overflow="visible"><path class="fail" d="M-5 5l10 10m0-10l-10 10"/></svg>)", end);
  return fmt::format(R"(<svg class="bar" aria-hidden="true" width="100%" height="20">{}</svg>)", bars);
}

}  // namespace ddp::cli
