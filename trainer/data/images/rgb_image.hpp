#pragma once

#include <cstdint>
#include <vector>

namespace ddp::trainer {

/// A picture: three bytes a pixel, row by row.
struct RgbImage {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;
};

}  // namespace ddp::trainer
