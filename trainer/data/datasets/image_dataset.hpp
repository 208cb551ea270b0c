#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "trainer/data/files/byte_source.hpp"
#include "trainer/data/images/image_transform.hpp"

namespace ddp::trainer {

/// Images that lie in files or in memory.
struct StoredImages {
  struct Sample {
    std::uint64_t offset;  ///< of its pixels in the source; as many as the transform takes
    std::uint32_t source;  ///< its place in `sources`
    std::int32_t target;
  };
  std::vector<Sample> samples;
  SampleShape shape;  ///< what they are called, whatever the transform takes them for
  std::vector<std::shared_ptr<const ByteSource>> sources;
};

/// The dataset of these images.
[[nodiscard]] std::unique_ptr<Dataset> make_image_dataset(StoredImages images, ImageTransform transform);

}  // namespace ddp::trainer
