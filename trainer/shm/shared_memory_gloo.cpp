#include "trainer/shm/shared_memory_gloo.hpp"

#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <utility>

namespace ddp::trainer {

void SharedMemoryGloo::use(SharedSum sum) {
  sum.begin(getOptions()->timeout);
  sum_.emplace(std::move(sum));
}

c10::intrusive_ptr<c10d::Work> SharedMemoryGloo::allreduce(std::vector<at::Tensor>& tensors,
                                                           const c10d::AllreduceOptions& options) {
  if (!takes(tensors, options)) return ProcessGroupGloo::allreduce(tensors, options);
  const auto self = c10::intrusive_ptr<SharedMemoryGloo>::reclaim_copy(this);
  waiting_.push_back(c10::make_intrusive<DeferredSum>(getRank(), tensors, [self] { self->finish(); }));
  const auto sum = waiting_.back();
  if (deferring_ != torch::autograd::get_current_graph_task_id()) finish();
  return sum;
}

bool SharedMemoryGloo::takes(const std::vector<at::Tensor>& tensors,
                             const c10d::AllreduceOptions& options) const {
  if (!sum_ || tensors.size() != 1 || options.reduceOp != c10d::ReduceOp::SUM) return false;
  const at::Tensor& tensor = tensors.front();
  return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_non_overlapping_and_dense() &&
         SharedSum::takes(tensor.scalar_type());
}

void SharedMemoryGloo::defer_sums_of_backward() {
  const int backward = torch::autograd::get_current_graph_task_id();  // negative: none
  if (sum_ && backward >= 0) deferring_ = backward;
}

void SharedMemoryGloo::finish() {
  const auto begin = std::chrono::steady_clock::now();
  const auto sums = std::exchange(waiting_, {});
  for (const auto& deferred : sums) {
    sum_->add_up(deferred->tensors().front());
    deferred->complete();
  }
  if (!std::exchange(deferring_, std::nullopt) || sums.empty()) return;
  time_after_backwards_ += std::chrono::steady_clock::now() - begin;
  ++backwards_;
}

std::chrono::nanoseconds SharedMemoryGloo::mean_time_after_backward() const {
  return time_after_backwards_ / std::max<std::int64_t>(backwards_, 1);
}

}  // namespace ddp::trainer
