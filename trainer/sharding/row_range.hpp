#pragma once

#include <cstdint>

namespace ddp::trainer {

/// Rows of a tensor, which are its parts along dimension 0.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const RowRange&) const = default;
};

/// How many of `rows` each of `ranks` ranks has room for; the last ranks may have fewer rows, or none.
[[nodiscard]] std::int64_t rows_per_rank(std::int64_t rows, int ranks);

/// The rows that `rank` holds, as torch.chunk and Python's Shard(0) deal them out.
[[nodiscard]] RowRange rows_of_rank(std::int64_t rows, int ranks, int rank);

}  // namespace ddp::trainer
