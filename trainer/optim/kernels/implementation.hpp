#pragma once

#include <c10/core/Device.h>

#include <string>

namespace ddp::trainer {

/// How an optimizer does its arithmetic. `loop`, `foreach` and `simd` give the same bytes on the CPU.
enum class Implementation {
  loop,     ///< one tensor and one operation at a time, as Python's foreach=False
  foreach,  ///< one operation for all tensors at a time, as Python's foreach=True
  fused,    ///< one kernel of ATen for everything, as Python's fused=True; rounds differently
  simd,     ///< passes of our own over float32 tensors on the CPU, with the rounding of `loop`
};

/// What the option `implementation` means for parameters on `device`. `auto` is the fastest one that gives
/// the bytes that Python's default gives there. Throws InvalidConfiguration for simd elsewhere than on the
/// CPU.
[[nodiscard]] Implementation resolve_implementation(const std::string& option, const at::Device& device);

}  // namespace ddp::trainer
