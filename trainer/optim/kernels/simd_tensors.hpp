#pragma once

#include <torch/types.h>

#include <initializer_list>

namespace ddp::trainer {

/// Whether `simd` may work on these tensors of one parameter and be equal to ATen: float32 on the CPU, laid
/// out alike without holes, on a processor for which ATen uses kernels with FMA. A large tensor is left to
/// ATen where more than two threads share an operation.
[[nodiscard]] bool simd_serves(std::initializer_list<torch::Tensor> tensors);

}  // namespace ddp::trainer
