#pragma once

#include <cstdint>
#include <vector>

#include "trainer/data/batch_indices.hpp"
#include "trainer/data/dataset.hpp"

namespace ddp::trainer {

/// The batches that a list of samples falls into, in order.
class EpochBatches {
 public:
  /// `dataset` must outlive this object.
  EpochBatches(const Dataset& dataset, std::vector<std::int64_t> indices, std::int64_t batch_size, Tail tail);

  [[nodiscard]] std::int64_t count() const { return batch_count(std::ssize(indices_), batch_size_, tail_); }

  /// Batch `index`, 0 <= index < count().
  [[nodiscard]] Batch at(std::int64_t index) const;

  /// How many batches `samples` samples make.
  [[nodiscard]] static std::int64_t batch_count(std::int64_t samples, std::int64_t batch_size, Tail tail);

 private:
  const Dataset& dataset_;
  std::vector<std::int64_t> indices_;
  std::int64_t batch_size_;
  Tail tail_;
};

}  // namespace ddp::trainer
