#include "trainer/sharding/row_range.hpp"

#include <algorithm>

namespace ddp::trainer {

std::int64_t rows_per_rank(std::int64_t rows, int ranks) {
  return (rows + ranks - 1) / ranks;
}

RowRange rows_of_rank(std::int64_t rows, int ranks, int rank) {
  const std::int64_t room = rows_per_rank(rows, ranks);
  const std::int64_t first = std::min(rows, room * rank);
  return {first, std::min(room, rows - first)};
}

}  // namespace ddp::trainer
