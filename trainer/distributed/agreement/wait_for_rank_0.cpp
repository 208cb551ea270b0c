#include "trainer/distributed/agreement/wait_for_rank_0.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {

void wait_for_rank_0(ProcessGroup& group, std::chrono::milliseconds limit,
                     const std::function<bool(std::chrono::milliseconds)>& done,
                     const std::function<void(std::chrono::milliseconds)>& meanwhile) {
  torch::Tensor is_done = at::zeros({1}, at::kLong);
  while (is_done.item<std::int64_t>() == 0) {
    if (group.rank() != 0)
      meanwhile(limit);
    else if (done(limit))
      is_done.fill_(1);
    if (group.size() > 1) group.broadcast(is_done);
  }
}

}  // namespace ddp::trainer
