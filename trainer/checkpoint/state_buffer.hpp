#pragma once

#include <cstddef>
#include <vector>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Memory for a copy of a TrainingState, taken once and used again by every copy of the same layout. Pinned
/// when a tensor is on a CUDA device. Used by one thread at a time.
class StateBuffer {
 public:
  /// What reserve() found or did.
  enum class Memory { held, taken };

  /// Takes the memory that copies of `like` need, unless it is held already. What was taken is not touched
  /// yet.
  Memory reserve(const TrainingState& like);

  /// Makes the kernel give the memory, so that the first copy is as quick as any. It overwrites a copy. May
  /// run in any thread.
  void touch();

  /// Copies `from`, with all threads of the calling thread's pool, and returns the copy, whose tensors are
  /// contiguous and on the CPU. It holds until the next reserve() or copy().
  const TrainingState& copy(const TrainingState& from);

 private:
  torch::Tensor memory_;              // bytes
  std::vector<torch::Tensor> parts_;  // of memory_, one a tensor, in the order of all_tensors()
  TrainingState copy_;
};

}  // namespace ddp::trainer
