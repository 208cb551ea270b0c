#include "trainer/loop/epoch_batches.hpp"

#include <algorithm>

namespace ddp::trainer {

EpochBatches::EpochBatches(const Dataset& dataset, std::vector<std::int64_t> indices, std::int64_t batch_size,
                           Tail tail)
    : dataset_(dataset), indices_(std::move(indices)), batch_size_(batch_size), tail_(tail) {}

std::int64_t EpochBatches::batch_count(std::int64_t samples, std::int64_t batch_size, Tail tail) {
  return (tail == Tail::drop ? samples : samples + batch_size - 1) / batch_size;
}

Batch EpochBatches::at(std::int64_t index) const {
  const std::int64_t first = index * batch_size_;
  const std::int64_t count = std::min(batch_size_, std::ssize(indices_) - first);
  return dataset_.gather(
      std::span(indices_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), 0);
}

}  // namespace ddp::trainer
