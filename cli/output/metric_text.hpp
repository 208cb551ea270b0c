#pragma once

#include <string>

namespace ddp::cli {

/// A loss or an accuracy in four digits: "2.3026", "0.0421", "8.498e-09", "0".
[[nodiscard]] std::string render_metric(double value);

}  // namespace ddp::cli
