#pragma once

#include <cstdint>

#include "trainer/data/images/image_transform.hpp"

namespace ddp::trainer {

/// What a Dataset is besides, where its samples are images: their bytes, from which a device makes the inputs
/// itself, to the bits of Dataset::write. Const functions are called from several threads at once.
class RawImages {
 public:
  virtual ~RawImages() = default;

  /// What makes an input of the bytes of an image.
  [[nodiscard]] virtual const ImageTransform& transform() const = 0;

  /// Writes the transform().shape().values() bytes of image `index`, 0 <= index < size(), to `pixels`, its
  /// class to `target`. Throws std::runtime_error when it cannot be read.
  virtual void write_image(std::int64_t index, std::uint8_t* pixels, std::int64_t* target) const = 0;
};

}  // namespace ddp::trainer
