#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ddp::trainer {

/// What happens to the samples at the end of an epoch that do not fill a batch.
enum class Tail { keep, drop };

/// How many batches `samples` samples make.
[[nodiscard]] constexpr std::int64_t count_batches(std::int64_t samples, std::int64_t batch_size, Tail tail) {
  return (tail == Tail::drop ? samples : samples + batch_size - 1) / batch_size;
}

/// The batches that a list of samples falls into, in order.
struct BatchIndices {
  std::vector<std::int64_t> indices;
  std::int64_t batch_size = 1;
  Tail tail = Tail::keep;

  [[nodiscard]] std::int64_t count() const { return count_batches(std::ssize(indices), batch_size, tail); }

  /// Those of batch `i`, 0 <= i < count(); valid as long as this object.
  [[nodiscard]] std::span<const std::int64_t> batch(std::int64_t i) const {
    const std::int64_t first = i * batch_size;
    const std::int64_t size = std::min(batch_size, std::ssize(indices) - first);
    return std::span(indices).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
  }
};

}  // namespace ddp::trainer
