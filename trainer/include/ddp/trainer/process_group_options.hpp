#pragma once

#include <chrono>
#include <optional>

namespace ddp::trainer {

enum class Backend { gloo, nccl, mpi };

struct ProcessGroupOptions {
  /// What reduces gradients. With nccl the group has Gloo too, for tensors on the CPU. With mpi all
  /// collectives are MPI's, on the CPU.
  Backend backend = Backend::gloo;
  /// Whether ranks that are all on one host add up (float32, float64, float16, bfloat16, int32, int64),
  /// all-gather and reduce-scatter tensors on the CPU in memory that they share, not over Gloo. The bits are
  /// the same, but for those of a NaN of 16 bits. All else goes over Gloo. It has
  /// no effect on mpi, which shares memory by itself.
  bool shared_memory = true;
  /// How long a collective, and the way into the group, may take.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  /// A listening socket at master_port that rank 0 takes over for the store (kStoreFd of rank_contract.hpp).
  /// Without it rank 0 binds master_port itself. Other ranks ignore it.
  std::optional<int> store_descriptor = std::nullopt;
  /// CUDA device of this rank. With nccl that of its local rank if not given, and no two ranks may have the
  /// same; with gloo none: tensors are on the CPU.
  std::optional<int> device = std::nullopt;
};

}  // namespace ddp::trainer
