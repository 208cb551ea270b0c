#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>

#include "trainer/shm/shared_memory.hpp"
#include "trainer/shm/shared_ranks.hpp"

namespace ddp::trainer {

/// Adds up tensors of all ranks of one host through memory that they share, to the same bits as Gloo. The
/// calling thread does the work: no other has to wake up for it, as Gloo's do for each message.
///
/// Tensors go through the memory in pieces that fit in caches. Each rank copies a piece of its own in. Of two
/// ranks, each then adds up both; more of them share the work out: each adds up a part, and copies the sums
/// of the others, as reduce-scatter and all-gather (R. Rabenseifner, "Optimization of Collective Reduction
/// Operations", ICCS 2004).
class SharedSum {
 public:
  /// Of the memory that so many ranks need.
  [[nodiscard]] static std::size_t bytes_for(int ranks);

  /// Whether it adds up tensors of this type.
  [[nodiscard]] static bool takes(at::ScalarType type);

  /// Takes the place of `rank` in `memory`, which has to be zeros before the first one comes. Throws
  /// std::system_error.
  SharedSum(SharedMemory memory, int rank, int ranks);

  /// To be called when all have taken their places, before the first sum. `timeout` is of each wait.
  void begin(std::chrono::milliseconds timeout) { ranks_.begin(timeout); }

  /// Replaces the values of `tensor`, which is dense, by the sum over all ranks. All ranks call it in the
  /// same order, for as many elements of the same type. Throws c10::DistBackendError when a rank is gone or
  /// too late, and std::runtime_error when tensors differ; it is of no use after that.
  void add_up(const at::Tensor& tensor);

 private:
  struct Piece;
  struct Range;

  /// Of two ranks each adds up everything.
  [[nodiscard]] bool shares_out() const { return ranks_.size() > 2; }

  void add_up_piece(const Piece& piece);
  void add_up_part(const Piece& piece);
  void add_up_range(const Piece& piece, const Range& range, std::int64_t chunk);
  void take_parts(const Piece& piece);
  void check_operands(const SharedOperand& own) const;
  [[nodiscard]] at::Tensor slot(int rank, const Piece& piece) const;

  SharedMemory memory_;
  SharedRanks ranks_;
  std::uint32_t pieces_ = 0;  ///< that are done, modulo 2^32
  bool failed_ = false;
};

}  // namespace ddp::trainer
