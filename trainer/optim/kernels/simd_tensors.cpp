#include "trainer/optim/kernels/simd_tensors.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>

#include <algorithm>

#include "trainer/optim/kernels/simd_kernels.hpp"

namespace ddp::trainer {
namespace {

/// From here on ATen divides a tensor among threads.
constexpr std::int64_t kGrainSize = 32'768;

bool aten_uses_fma() {
  const std::string capability = at::get_cpu_capability();
  return capability == "AVX2" || capability == "AVX512";
}

bool threads_pay(const torch::Tensor& tensor) {
  return tensor.numel() > kGrainSize && at::get_num_threads() > 2;
}

}  // namespace

bool simd_serves(std::initializer_list<torch::Tensor> tensors) {
  static const bool can = simd::available() && aten_uses_fma();
  const torch::Tensor& first = *tensors.begin();
  return can && !threads_pay(first) && first.is_non_overlapping_and_dense() &&
         std::ranges::all_of(tensors, [&](const torch::Tensor& tensor) {
           return tensor.is_cpu() && tensor.scalar_type() == at::kFloat &&
                  tensor.strides() == first.strides() && tensor.sizes() == first.sizes();
         });
}

}  // namespace ddp::trainer
