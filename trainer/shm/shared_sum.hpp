#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/shm/ring_sum.hpp"
#include "trainer/shm/shared_slots.hpp"

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
  /// Of two ranks or more. `slots` must outlive it.
  explicit SharedSum(SharedSlots& slots) : slots_(slots) {}

  /// Replaces the values of `tensor`, which is dense and of a type for which has_bits_of_gloo(), by the
  /// reduction over all ranks. All ranks call it in the same order, for as many elements of the same type.
  /// Errors are those of SharedSlots::run().
  void add_up(const at::Tensor& tensor, SharedReduction reduction = SharedReduction::sum);

 private:
  struct Piece;

  /// Of two ranks each adds up everything.
  [[nodiscard]] bool shares_out() const { return slots_.size() > 2; }

  void add_up_piece(const Piece& piece);
  void add_up_part(const Piece& piece);
  void add_up_range(const Piece& piece, std::int64_t chunk, std::int64_t begin, std::int64_t end);
  void take_parts(const Piece& piece);
  [[nodiscard]] at::Tensor slot(int rank, const Piece& piece) const;

  SharedSlots& slots_;
};

}  // namespace ddp::trainer
