#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>

#include "trainer/shm/ring_sum.hpp"
#include "trainer/shm/shared_slots.hpp"

namespace ddp::trainer {

/// Adds up tensors of all ranks of one host through memory that they share, and leaves each rank its part of
/// the sum. The bits are those of this part of Gloo's all-reduce, as ProcessGroupGloo's reduce-scatter has
/// them. A rank copies only what is for others into the memory, and reads only what is for itself.
class SharedReduceScatter {
 public:
  /// `slots` must outlive it.
  explicit SharedReduceScatter(SharedSlots& slots);

  /// Fills `output` with this rank's part of the reduction of `input` over all ranks, which has one part for
  /// each rank, by rank. Both are contiguous and of the same type, one for which has_bits_of_gloo().
  /// `output` may be this rank's part of `input`; it may not share other memory with it. All ranks call it in
  /// the same order, for as many elements of the same type. Errors are those of SharedSlots::run().
  void reduce(const at::Tensor& output, const at::Tensor& input, SharedReduction reduction);

 private:
  struct Operands;

  void reduce_piece(const Operands& operands, std::int64_t first, std::int64_t count);
  void give_others(const Operands& operands, std::int64_t first, std::int64_t count);
  void add_up(const Operands& operands, std::int64_t first, std::int64_t count);

  /// Within the slot of rank `from`.
  [[nodiscard]] std::byte* part_for(int to, int from) const;

  SharedSlots& slots_;
  std::size_t part_bytes_;  ///< of a slot, for one rank
};

}  // namespace ddp::trainer
