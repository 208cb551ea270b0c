#include "cli/top/view/point_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ddp::cli {
namespace {

constexpr std::size_t kLeastOfValue = 3;  // columns

std::vector<std::size_t> differing_keys(const SweepRecord& sweep) {
  std::vector<std::size_t> all;
  std::vector<std::size_t> differing;
  for (std::size_t key = 0; key < sweep.keys.size(); ++key) {
    all.push_back(key);
    const bool differs = std::ranges::any_of(
        sweep.points, [&](const auto& values) { return values[key] != sweep.points.front()[key]; });
    if (differs) differing.push_back(key);
  }
  return differing.empty() ? all : differing;
}

std::string shorten_value(const std::string& value, std::size_t columns, Charset charset) {
  const auto shown = make_showable(value, charset);
  if (columns_of(shown) <= columns || columns_of(shown) != shown.size())
    return fit_columns(shown, columns, charset);
  const auto front = (columns - 1) / 2;
  return shown.substr(0, front) + (charset == Charset::utf8 ? "…" : "~") +
         shown.substr(shown.size() - (columns - 1 - front));
}

}  // namespace

std::string render_point_head(const SweepRecord& sweep) {
  std::string text = "POINT";
  const char* before = " ";
  for (const auto key : differing_keys(sweep)) {
    const auto& path = sweep.keys[key];
    text += before + path.substr(path.rfind('.') + 1);  // npos + 1 is 0
    before = ", ";
  }
  return text;
}

std::string render_point_name(const SweepRecord& sweep, std::size_t point, std::size_t columns,
                              Charset charset) {
  const auto number = fmt::format("{}: ", point);
  const auto keys = differing_keys(sweep);
  const auto join = [&](std::size_t most) {
    std::string text = number;
    for (const auto key : keys)
      text += (key == keys.front() ? "" : ", ") +
              shorten_value(render_sweep_value(sweep.points[point][key]), most, charset);
    return text;
  };
  auto whole = join(columns);
  if (keys.empty() || columns_of(whole) <= columns) return whole;
  const auto others = number.size() + 2 * (keys.size() - 1);
  const auto left = columns - std::min(columns, others);
  return join(std::max(left / keys.size(), kLeastOfValue));
}

}  // namespace ddp::cli
