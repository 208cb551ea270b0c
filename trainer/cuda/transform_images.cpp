#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include "trainer/cuda/parts.hpp"
#include "trainer/cuda/transform_kernel.hpp"

namespace ddp::trainer {
namespace {

void check(const torch::Tensor& tensor, at::ScalarType type, at::IntArrayRef sizes,
           const at::Device& device) {
  TORCH_CHECK(tensor.scalar_type() == type && tensor.sizes() == sizes && tensor.is_contiguous() &&
                  tensor.device() == device && device.is_cuda(),
              "a batch of images has a tensor of ", tensor.scalar_type(), " ", tensor.sizes(), " on ",
              tensor.device(), ", where ", type, " ", sizes, " is expected");
}

void check(const ImageBatch& batch) {
  const at::Device device = batch.pixels.device();
  TORCH_CHECK(batch.pixels.dim() == 4, "images are [count, channels, height, width]");
  check(batch.pixels, at::kByte, batch.pixels.sizes(), device);
  check(batch.indices, at::kLong, {batch.pixels.size(0)}, device);
  check(batch.levels, at::kFloat, {batch.pixels.size(1), 256}, device);
  TORCH_CHECK(
      batch.pixels.size(0) <= kMostImages && batch.pixels.size(2) * batch.pixels.size(3) <= kMostPixels,
      "the images ", batch.pixels.sizes(), " are too many or too large");
}

}  // namespace

torch::Tensor transform_images(const ImageBatch& batch) {
  check(batch);
  const c10::cuda::CUDAGuard guard(batch.pixels.device());
  const torch::Tensor out = at::empty_like(batch.pixels, at::kFloat);
  C10_CUDA_CHECK(launch_transform(
      {.pixels = batch.pixels.const_data_ptr<std::uint8_t>(),
       .indices = batch.indices.const_data_ptr<std::int64_t>(),
       .levels = batch.levels.const_data_ptr<float>(),
       .out = out.mutable_data_ptr<float>(),
       .count = batch.pixels.size(0),
       .channels = batch.pixels.size(1),
       .height = batch.pixels.size(2),
       .width = batch.pixels.size(3),
       .augmentation = {.crop_padding = batch.crop_padding, .horizontal_flip = batch.horizontal_flip},
       .seed = batch.seed,
       .epoch = batch.epoch},
      at::cuda::getCurrentCUDAStream()));
  return out;
}

}  // namespace ddp::trainer
