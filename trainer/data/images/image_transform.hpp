#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "trainer/config/train_config.hpp"
#include "trainer/data/images/pixel_transform.hpp"

namespace ddp::trainer {

/// Makes a model's input of an image: what the options of a dataset of images ask for. May be used by several
/// threads at once.
class ImageTransform {
 public:
  /// By the options that with_image_options() names. Only training images are augmented.
  ImageTransform(const Component& source, Split split, std::uint64_t seed, const ImageShape& shape);

  [[nodiscard]] const ImageShape& shape() const { return shape_; }
  [[nodiscard]] std::span<const Levels> levels() const { return levels_; }  ///< one for each channel
  [[nodiscard]] const Augmentation& augmentation() const { return augmentation_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// Writes shape().values() floats for the sample `index` of `epoch`.
  void write(const std::uint8_t* image, std::uint64_t epoch, std::int64_t index, float* out) const;

 private:
  ImageShape shape_;
  std::vector<Levels> levels_;
  Augmentation augmentation_;
  std::uint64_t seed_;
};

}  // namespace ddp::trainer
