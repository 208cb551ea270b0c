#include "trainer/cuda/transform_kernel.hpp"

#include <algorithm>

namespace ddp::trainer {
// nvcc names an unnamed namespace after the path of the file, so that each folder would give other bytes.
namespace kernels {

// As many as a byte has values: each thread brings one level.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kPixelsOfBlock = 16 * kThreads;
constexpr std::int64_t kMostBlocks = 65535;  // in y and z

/// Blocks: images in x, channels in y, parts of a channel in z. Neighbouring threads write neighbouring
/// floats. A level is looked up, not computed: that gives the bits of the CPU.
__global__ void __launch_bounds__(kThreads) transform(const TransformArguments arguments) {
  __shared__ float levels[kThreads];
  const std::int64_t image = blockIdx.x;
  const auto height = static_cast<std::uint32_t>(arguments.height);
  const auto width = static_cast<std::uint32_t>(arguments.width);
  const std::uint32_t pixels = height * width;
  const CropFlip crop_flip =
      draw_crop_flip(arguments.augmentation, arguments.seed, arguments.epoch, arguments.indices[image]);
  for (std::int64_t channel = blockIdx.y; channel < arguments.channels; channel += gridDim.y) {
    __syncthreads();  // nobody needs the levels of the channel before any more
    levels[threadIdx.x] = arguments.levels[channel * kThreads + threadIdx.x];
    __syncthreads();
    const std::int64_t first = (image * arguments.channels + channel) * pixels;
    for (std::uint32_t pixel = blockIdx.z * kThreads + threadIdx.x; pixel < pixels;
         pixel += gridDim.z * kThreads) {
      const std::int64_t source = source_pixel(pixel, height, width, crop_flip);
      arguments.out[first + pixel] = levels[source == kOutside ? 0 : arguments.pixels[first + source]];
    }
  }
}

inline std::uint32_t clamp_blocks(std::int64_t wanted) {
  return static_cast<std::uint32_t>(std::min(wanted, kMostBlocks));
}

}  // namespace kernels

cudaError_t launch_transform(const TransformArguments& arguments, cudaStream_t stream) {
  const std::int64_t pixels = arguments.height * arguments.width;
  if (arguments.count == 0 || arguments.channels == 0 || pixels == 0) return cudaSuccess;
  const dim3 blocks(static_cast<std::uint32_t>(arguments.count), kernels::clamp_blocks(arguments.channels),
                    kernels::clamp_blocks((pixels + kernels::kPixelsOfBlock - 1) / kernels::kPixelsOfBlock));
  kernels::transform<<<blocks, kernels::kThreads, 0, stream>>>(arguments);
  return cudaGetLastError();
}

}  // namespace ddp::trainer
