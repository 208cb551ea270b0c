#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/augment/crop_flip.hpp"

namespace ddp::trainer {

/// Of an image whose channels lie one after another, each row by row.
struct ImageShape {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  [[nodiscard]] constexpr std::int64_t values() const { return channels * height * width; }
};

/// What each of the 256 values of a byte becomes in one channel.
using Levels = std::array<float, 256>;

/// The bits that torchvision's ToTensor gives: value / 255.
[[nodiscard]] Levels unit_levels();

/// The bits that torchvision's Normalize makes of those: (value / 255 - mean) / deviation, rounded after each
/// operation.
[[nodiscard]] Levels normalized_levels(float mean, float deviation);

/// Writes `image` as `shape.values()` floats, shifted and mirrored as `crop_flip` says. One of `levels` for
/// each channel; what lies outside of the image is a byte of zero. Pure: a kernel that does the same has to
/// give the same bits.
void transform_pixels(const std::uint8_t* image, const ImageShape& shape, std::span<const Levels> levels,
                      const CropFlip& crop_flip, float* out);

}  // namespace ddp::trainer
