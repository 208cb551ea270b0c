#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "trainer/augment/crop_flip.hpp"

namespace ddp::trainer {

/// Images one after another, each as ImageShape says; all pointers are to memory of the device.
struct TransformArguments {
  const std::uint8_t* pixels;
  const std::int64_t* indices;  ///< of each image
  const float* levels;          ///< [channels][256]
  float* out;
  std::int64_t count;
  std::int64_t channels;
  std::int64_t height;
  std::int64_t width;
  Augmentation augmentation;
  std::uint64_t seed;
  std::uint64_t epoch;
};

/// Images, and pixels of a channel, that one launch takes at most.
inline constexpr std::int64_t kMostImages = 0x7fff'ffff;
inline constexpr std::int64_t kMostPixels = 0x7fff'ffff;

/// Does what transform_pixels() does for all images in one pass, to the same bits. Does not wait for it.
[[nodiscard]] cudaError_t launch_transform(const TransformArguments& arguments, cudaStream_t stream);

}  // namespace ddp::trainer
