#pragma once

#include <cstddef>
#include <cstdint>

namespace ddp::trainer {

/// In which order the ring all-reduce of Gloo adds up the terms of the ranks, on which the bits of a sum of
/// more than two depend. Source: gloo/allreduce.cc, the algorithm RING, which LibTorch uses.
///
/// The elements are cut into one chunk for each rank, the last of which may be short or empty. Chunk c goes
/// around from rank c-1 downwards and ends at rank c.
class RingOrder {
 public:
  RingOrder(std::int64_t elements, std::size_t element_size, int ranks);

  /// 1 at least; that of all chunks but the last ones.
  [[nodiscard]] std::int64_t elements_per_chunk() const { return elements_per_chunk_; }

  /// The rank whose term is the `place`-th in the sum of chunk `chunk`, both from 0.
  [[nodiscard]] int rank(std::int64_t chunk, int place) const;

 private:
  std::int64_t elements_per_chunk_;
  int ranks_;
};

}  // namespace ddp::trainer
