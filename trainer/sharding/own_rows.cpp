#include "trainer/sharding/own_rows.hpp"

#include "trainer/sharding/row_range.hpp"

namespace ddp::trainer {

torch::Tensor own_rows(const torch::Tensor& whole, const ProcessGroup& group) {
  const RowRange range = rows_of_rank(whole.size(0), group.size(), group.rank());
  return whole.narrow(0, range.first, range.count);
}

}  // namespace ddp::trainer
