#include "trainer/data/images/pixel_transform.hpp"

#include <algorithm>

namespace ddp::trainer {
namespace {

void transform_whole(const std::uint8_t* bytes, std::int64_t count, const Levels& levels, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = levels[bytes[i]];
}

/// A row of the image, shifted by dx and perhaps mirrored.
void transform_row(const std::uint8_t* row, std::int64_t width, const Levels& levels,
                   const CropFlip& crop_flip, float* out) {
  const std::int64_t first = std::clamp<std::int64_t>(-crop_flip.dx, 0, width);
  const std::int64_t last = std::clamp<std::int64_t>(width - crop_flip.dx, first, width);
  std::fill(out, out + first, levels[0]);
  for (std::int64_t x = first; x < last; ++x) out[x] = levels[row[x + crop_flip.dx]];
  std::fill(out + last, out + width, levels[0]);
  if (crop_flip.flip) std::reverse(out, out + width);
}

void transform_channel(const std::uint8_t* channel, const ImageShape& shape, const Levels& levels,
                       const CropFlip& crop_flip, float* out) {
  for (std::int64_t y = 0; y < shape.height; ++y, out += shape.width) {
    const std::int64_t from = y + crop_flip.dy;
    if (from < 0 || from >= shape.height) {
      std::fill(out, out + shape.width, levels[0]);
    } else {
      transform_row(channel + from * shape.width, shape.width, levels, crop_flip, out);
    }
  }
}

}  // namespace

Levels unit_levels() {
  Levels levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<float>(i) / 255.0F;
  return levels;
}

Levels normalized_levels(float mean, float deviation) {
  Levels levels = unit_levels();
  for (float& level : levels) {
    level -= mean;
    level /= deviation;
  }
  return levels;
}

void transform_pixels(const std::uint8_t* image, const ImageShape& shape, std::span<const Levels> levels,
                      const CropFlip& crop_flip, float* out) {
  const std::int64_t size = shape.height * shape.width;
  for (const Levels& channel : levels) {
    if (crop_flip == CropFlip{}) {
      transform_whole(image, size, channel, out);
    } else {
      transform_channel(image, shape, channel, crop_flip, out);
    }
    image += size;
    out += size;
  }
}

}  // namespace ddp::trainer
