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

  /// Begins a copy of `from`, whose tensors are contiguous and on the CPU: buffers, generators, and all that
  /// is on a device is in it when this returns. What only an update changes, finish() copies: the parameters
  /// and the optimizer's tensors. The copy holds until the next reserve() or begin().
  const TrainingState& begin(const TrainingState& from);

  /// Completes the copy. May run in any thread; until it has returned, nothing may update the parameters.
  void finish();

 private:
  /// A part of the copy that is one move of memory.
  struct Move {
    torch::Tensor to;
    torch::Tensor from;
  };

  torch::Tensor memory_;              // bytes
  std::vector<torch::Tensor> parts_;  // of memory_, one a tensor, in the order of all_tensors()
  TrainingState copy_;
  std::vector<Move> left_;  // for finish()
};

}  // namespace ddp::trainer
