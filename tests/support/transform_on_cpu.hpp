#pragma once

#include <ATen/ATen.h>

#include <cstring>
#include <vector>

#include "trainer/cuda/image_batch.hpp"
#include "trainer/data/images/pixel_transform.hpp"

namespace ddp::trainer {

/// What the kernel of libddp_cuda.so is to be equal to: image by image, on the CPU.
inline torch::Tensor transform_on_cpu(const ImageBatch& batch) {
  const ImageShape shape{batch.pixels.size(1), batch.pixels.size(2), batch.pixels.size(3)};
  std::vector<Levels> levels(static_cast<std::size_t>(shape.channels));
  std::memcpy(levels.data(), batch.levels.const_data_ptr(), batch.levels.nbytes());
  torch::Tensor out = at::empty_like(batch.pixels, at::kFloat);
  const auto* pixels = batch.pixels.const_data_ptr<std::uint8_t>();
  const auto* index = batch.indices.const_data_ptr<std::int64_t>();
  auto* values = out.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < batch.pixels.size(0); ++i) {
    const Augmentation augmentation{batch.crop_padding, batch.horizontal_flip};
    transform_pixels(pixels + i * shape.values(), shape, levels,
                     draw_crop_flip(augmentation, batch.seed, batch.epoch, index[i]),
                     values + i * shape.values());
  }
  return out;
}

}  // namespace ddp::trainer
