#pragma once

#include <cstdint>
#include <vector>

#include "trainer/data/images/rgb_image.hpp"

namespace ddp::trainer {

/// The middle of a picture: its shorter side scaled to `resize` pixels, bilinearly and with antialiasing,
/// then a square of `crop` x `crop` (not more than resize) cut out, as three channels one after another. The
/// bytes are those of torchvision's Resize and CenterCrop on a picture of Pillow; but Pillow 13 scales
/// pictures that are much taller than wide in the other order, which may change a byte by one.
[[nodiscard]] std::vector<std::uint8_t> resize_and_crop(const RgbImage& image, std::int64_t resize,
                                                        std::int64_t crop);

}  // namespace ddp::trainer
