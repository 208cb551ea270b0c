#pragma once

#include "trainer/cuda/plugin.hpp"

namespace ddp::trainer {

/// libddp_cuda.so, which holds what needs LibTorch's CUDA half, so that a run on the CPU does not load it.
///
/// Loads it at the first call, for good. To be called before anything else asks LibTorch for CUDA: LibTorch
/// remembers the first answer. Throws std::runtime_error that says what is missing.
[[nodiscard]] const CudaPlugin& cuda_plugin();

/// Throws std::runtime_error when the table is not the one that this program was built with.
void require_same_build(const CudaPlugin& plugin);

}  // namespace ddp::trainer
