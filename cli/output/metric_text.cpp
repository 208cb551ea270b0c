#include "cli/output/metric_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddp::cli {

std::string render_metric(double value) {
  const double size = std::abs(value);
  const bool is_common = size >= 0.1 && size < 1e5;
  return is_common ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace ddp::cli
