#include "cli/top/view/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

namespace ddp::cli {
namespace {

constexpr std::array<std::string_view, 8> kLevels{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAsciiLevels{"_", ".", ",", "-", "=", "+", "*", "#"};

std::string repeat(std::string_view text, std::size_t count) {
  std::string repeated;
  for (std::size_t i = 0; i < count; ++i) repeated += text;
  return repeated;
}

/// The mean of each of `columns` parts.
std::vector<double> sum_up(const std::vector<double>& values, std::size_t columns) {
  if (values.size() <= columns) return values;
  std::vector<double> means;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(column * values.size() / columns);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>((column + 1) * values.size() / columns);
    means.push_back(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin));
  }
  return means;
}

}  // namespace

Bar make_bar(double share, std::size_t columns, Charset charset) {
  const auto part = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0);
  const auto done = static_cast<std::size_t>(part * static_cast<double>(columns));
  const bool ascii = charset == Charset::ascii;
  return {repeat(ascii ? "#" : "█", done), repeat(ascii ? "." : "░", columns - done)};
}

std::string make_sparkline(const std::vector<double>& values, std::size_t columns, Charset charset) {
  std::vector<double> known;
  std::ranges::copy_if(values, std::back_inserter(known), [](double value) { return std::isfinite(value); });
  if (known.size() < 2 || columns == 0) return {};
  known = sum_up(known, columns);
  const auto [lowest, highest] = std::ranges::minmax(known);
  const double range = highest - lowest;
  const auto& levels = charset == Charset::ascii ? kAsciiLevels : kLevels;
  std::string line;
  for (const double value : known) {
    const double height = range > 0 && std::isfinite(range) ? (value - lowest) / range : 0.5;
    line += levels[std::min<std::size_t>(7, static_cast<std::size_t>(height * 8))];
  }
  return line;
}

}  // namespace ddp::cli
