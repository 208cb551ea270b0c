#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>

namespace ddp::trainer {

/// libddp_cuda.so holds what needs LibTorch's CUDA half, so that a run on the CPU does not load it.
///
/// Loads the plug-in, once. To be called before anything else asks LibTorch for CUDA: LibTorch remembers
/// the first answer. Throws std::runtime_error that says what is missing.
void load_cuda_plugin();

/// Adds NCCL for tensors of CUDA device `device` to `group`. Loads the plug-in.
void add_nccl(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
              std::chrono::milliseconds timeout);

/// What the plug-in exports under the name kAddNccl.
using AddNccl = void(c10d::ProcessGroup&, const c10::intrusive_ptr<c10d::Store>&, int device,
                     std::chrono::milliseconds timeout);
inline constexpr const char* kAddNccl = "ddp_cuda_add_nccl";

}  // namespace ddp::trainer
