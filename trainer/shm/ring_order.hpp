#pragma once

#include <algorithm>
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

  /// Calls `use(chunk, begin, end)` for each part of the elements [begin, end) that lies in one chunk.
  template <class Use>
  void for_each_chunk(std::int64_t begin, std::int64_t end, const Use& use) const {
    while (begin < end) {
      const std::int64_t chunk = begin / elements_per_chunk_;
      const std::int64_t stop = std::min(end, (chunk + 1) * elements_per_chunk_);
      use(chunk, begin, stop);
      begin = stop;
    }
  }

 private:
  std::int64_t elements_per_chunk_;
  int ranks_;
};

}  // namespace ddp::trainer
