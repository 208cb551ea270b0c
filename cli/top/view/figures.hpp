#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output/terminal_text.hpp"

namespace ddp::cli {

/// The parts of a bar: what is done, and the rest.
struct Bar {
  std::string done;
  std::string rest;
};

/// `share` is 0 to 1.
[[nodiscard]] Bar make_bar(double share, std::size_t columns, Charset charset);

/// Values from left to right, each column the mean of its part of them, the lowest at the bottom. Fewer
/// values than columns take a column each. Skips values that are not finite. Empty: there are fewer
/// than two.
[[nodiscard]] std::string make_sparkline(const std::vector<double>& values, std::size_t columns,
                                         Charset charset);

}  // namespace ddp::cli
