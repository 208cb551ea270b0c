#pragma once

#include <cstdint>

#include "trainer/augment/philox.hpp"

namespace ddp::trainer {

/// What may be done to an image at random.
struct Augmentation {
  std::int32_t crop_padding =
      0;                         ///< pixels of zeros on each side, before a window of the old size is cut out
  bool horizontal_flip = false;  ///< mirrored with probability 1/2
};

/// What is done to one image: pixel (y, x) of the result is pixel (y + dy, x + dx) of the image, or zero
/// where there is none; then left and right are exchanged if `flip`.
struct CropFlip {
  std::int32_t dy = 0;
  std::int32_t dx = 0;
  bool flip = false;
  constexpr bool operator==(const CropFlip&) const = default;
};

/// A number below `count`, as even as 32 bits allow.
DDP_HOST_DEVICE constexpr std::uint32_t draw_below(std::uint32_t count, std::uint32_t random) {
  return static_cast<std::uint32_t>((std::uint64_t{random} * count) >> 32);
}

/// What sample `index` gets in `epoch`: a function of its arguments alone, so that it depends neither on who
/// makes the sample nor on when.
DDP_HOST_DEVICE constexpr CropFlip draw_crop_flip(const Augmentation& augmentation, std::uint64_t seed,
                                                  std::uint64_t epoch, std::int64_t index) {
  const PhiloxNumbers random = philox(seed, static_cast<std::uint64_t>(index), epoch);
  const auto offset = [&](std::uint32_t word) {
    const auto places = static_cast<std::uint32_t>(2 * augmentation.crop_padding + 1);
    return static_cast<std::int32_t>(draw_below(places, word)) - augmentation.crop_padding;
  };
  return {offset(random.words[0]), offset(random.words[1]),
          augmentation.horizontal_flip && (random.words[2] & 1U) != 0};
}

inline constexpr std::int64_t kOutside = -1;

/// Where pixel `pixel` of a result comes from, both counted row by row in a channel of height x width;
/// kOutside: it is zero.
DDP_HOST_DEVICE constexpr std::int64_t source_pixel(std::uint32_t pixel, std::uint32_t height,
                                                    std::uint32_t width, const CropFlip& crop_flip) {
  const std::uint32_t column = pixel % width;
  const std::int64_t x = std::int64_t{crop_flip.flip ? width - 1 - column : column} + crop_flip.dx;
  const std::int64_t y = std::int64_t{pixel / width} + crop_flip.dy;
  return x >= 0 && x < width && y >= 0 && y < height ? y * width + x : kOutside;
}

}  // namespace ddp::trainer
