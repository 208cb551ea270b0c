#include "trainer/data/loading/image_batches.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

#include "trainer/data/empty_batch.hpp"

namespace ddp::trainer {
namespace {

torch::Tensor copy_levels(const ImageTransform& transform, const at::Device& device) {
  const auto levels = transform.levels();
  const torch::Tensor table = at::empty({std::ssize(levels), std::ssize(Levels{})}, at::kFloat);
  std::memcpy(table.mutable_data_ptr(), levels.data(), levels.size_bytes());
  return table.to(device);
}

}  // namespace

ImageBatches::ImageBatches(const Dataset& dataset, const RawImages& images, TransformImages& transform,
                           const at::Device& device)
    : dataset_(dataset),
      images_(images),
      transform_(transform),
      device_(device),
      levels_(copy_levels(images.transform(), device)) {}

// Pinned memory may go before the copies are done: see HostMemory.
Batch ImageBatches::make(std::span<const std::int64_t> indices, std::uint64_t epoch) const {
  const ImageTransform& transform = images_.transform();
  const ImageShape& shape = transform.shape();
  const std::int64_t count = std::ssize(indices);
  const auto host = torch::TensorOptions().pinned_memory(device_.is_cuda());
  const torch::Tensor pixels =
      at::empty({count, shape.channels, shape.height, shape.width}, host.dtype(torch::kUInt8));
  const torch::Tensor numbers = at::empty({count}, host.dtype(torch::kInt64));
  const torch::Tensor targets = at::empty({count}, host.dtype(torch::kInt64));
  auto* pixel = pixels.mutable_data_ptr<std::uint8_t>();
  auto* target = targets.mutable_data_ptr<std::int64_t>();
  for (const std::int64_t index : indices) {
    require_sample(index, dataset_.size());
    images_.write_image(index, pixel, target++);
    pixel += shape.values();
  }
  std::ranges::copy(indices, numbers.mutable_data_ptr<std::int64_t>());

  constexpr bool kNonBlocking = true;
  const torch::Tensor inputs = transform_({.pixels = pixels.to(device_, kNonBlocking),
                                           .indices = numbers.to(device_, kNonBlocking),
                                           .levels = levels_,
                                           .crop_padding = transform.augmentation().crop_padding,
                                           .horizontal_flip = transform.augmentation().horizontal_flip,
                                           .seed = transform.seed(),
                                           .epoch = epoch});
  std::vector<std::int64_t> sizes = dataset_.sample_shape().dims;
  sizes.insert(sizes.begin(), count);
  return {inputs.view(sizes), targets.to(device_, kNonBlocking)};
}

}  // namespace ddp::trainer
