#pragma once

#include <torch/types.h>

#include <cstdint>

namespace ddp::trainer {

/// Images on a device, as bytes, and what is to be done to them.
struct ImageBatch {
  torch::Tensor pixels;   ///< uint8, [count, channels, height, width]
  torch::Tensor indices;  ///< int64, [count]: which samples they are
  torch::Tensor levels;   ///< float32, [channels, 256]: what a byte becomes
  // What draw_crop_flip() takes.
  std::int32_t crop_padding = 0;
  bool horizontal_flip = false;
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
};

/// Crops, mirrors and normalises all images, to the bits of transform_pixels(): float32 of the same shape, in
/// the current stream of the device that they are on.
using TransformImages = torch::Tensor(const ImageBatch&);

}  // namespace ddp::trainer
