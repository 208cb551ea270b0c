#pragma once

#include <cstdint>
#include <span>

#include "ddp/trainer/dataset.hpp"
#include "trainer/cuda/image_batch.hpp"
#include "trainer/data/images/raw_images.hpp"

namespace ddp::trainer {

/// Makes batches of a dataset of images on a device, out of their bytes: a quarter of what their floats take
/// travels, and cropping, mirroring and normalising is the device's work. To the bits of Dataset::gather. May
/// be used by several threads at once.
class ImageBatches {
 public:
  /// `dataset` and `images` are the same object, which must outlive this one.
  ImageBatches(const Dataset& dataset, const RawImages& images, TransformImages& transform,
               const at::Device& device);

  /// In the current stream of the device; does not wait for it. Throws what Dataset::gather throws.
  [[nodiscard]] Batch make(std::span<const std::int64_t> indices, std::uint64_t epoch) const;

 private:
  const Dataset& dataset_;
  const RawImages& images_;
  TransformImages& transform_;
  at::Device device_;
  torch::Tensor levels_;  // of all channels, on the device
};

}  // namespace ddp::trainer
