#include "trainer/shm/ring_order.hpp"

#include <algorithm>

namespace ddp::trainer {
namespace {

constexpr std::size_t kMaxSegmentBytes = 1 << 20;

constexpr std::size_t divide_up(std::size_t number, std::size_t by) {
  return (number + by - 1) / by;
}

}  // namespace

RingOrder::RingOrder(std::int64_t elements, std::size_t element_size, int ranks) : ranks_(ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  const std::size_t bytes = static_cast<std::size_t>(elements) * element_size;
  const std::size_t max_segment = kMaxSegmentBytes / element_size * element_size;
  const std::size_t segments_per_rank = divide_up(std::max(divide_up(bytes, max_segment), 2 * size), size);
  const std::size_t segment = divide_up(divide_up(bytes, segments_per_rank * size), element_size);
  elements_per_chunk_ = static_cast<std::int64_t>(std::max(segments_per_rank * segment, std::size_t{1}));
}

int RingOrder::rank(std::int64_t chunk, int place) const {
  const auto last = static_cast<int>(chunk % ranks_);
  return (last + 2 * ranks_ - 1 - place) % ranks_;
}

}  // namespace ddp::trainer
