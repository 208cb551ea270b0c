#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "trainer/data/image_transform.hpp"

namespace ddp::trainer {

/// Images in memory or in a mapped file.
struct StoredImages {
  struct Sample {
    const std::uint8_t* pixels;  ///< as many as the transform takes
    std::int64_t target;
  };
  std::vector<Sample> samples;
  SampleShape shape;  ///< what they are called, whatever the transform takes them for
  std::vector<std::shared_ptr<const void>> owners;  ///< of the memory that the samples point to
};

/// The dataset of these images.
[[nodiscard]] std::unique_ptr<Dataset> make_image_dataset(StoredImages images, ImageTransform transform);

}  // namespace ddp::trainer
