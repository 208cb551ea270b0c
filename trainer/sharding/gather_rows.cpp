#include "trainer/sharding/gather_rows.hpp"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "ddp/jobenv/own_progress.hpp"
#include "trainer/sharding/row_range.hpp"

namespace ddp::trainer {

torch::Tensor gather_rows(const torch::Tensor& rows, at::IntArrayRef sizes, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  auto padded_sizes = sizes.vec();
  padded_sizes.front() = rows_per_rank(sizes.front(), group.size());
  torch::Tensor own = at::zeros(padded_sizes, rows.options().requires_grad(false));
  own.narrow(0, 0, rows.size(0)).copy_(rows);
  if (group.size() == 1) return own;
  padded_sizes.front() *= group.size();
  torch::Tensor all = at::empty(padded_sizes, own.options());
  const PeerWait wait;
  group.c10d_group()->_allgather_base(all, own)->wait();
  return all.narrow(0, 0, sizes.front());
}

torch::Tensor own_rows(const torch::Tensor& whole, const ProcessGroup& group) {
  const RowRange range = rows_of_rank(whole.size(0), group.size(), group.rank());
  return whole.narrow(0, range.first, range.count);
}

}  // namespace ddp::trainer
