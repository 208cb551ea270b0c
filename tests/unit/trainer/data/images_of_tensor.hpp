#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "trainer/data/datasets/image_dataset.hpp"

namespace ddp::trainer {

/// The images of `pixels`, of uint8, contiguous, [images, channels, height, width]; image i is of class i
/// % 10.
inline StoredImages images_of(const at::Tensor& pixels) {
  const std::span bytes(pixels.const_data_ptr<std::uint8_t>(), pixels.nbytes());
  StoredImages images{
      .samples = {},
      .shape = {pixels.sizes().slice(1).vec(), 10},
      .sources = {std::make_shared<const MemoryBytes>(bytes, std::make_shared<const at::Tensor>(pixels))}};
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    const auto offset = static_cast<std::uint64_t>(i) * pixels[i].nbytes();
    images.samples.push_back({offset, 0, static_cast<std::int32_t>(i % 10)});
  }
  return images;
}

}  // namespace ddp::trainer
