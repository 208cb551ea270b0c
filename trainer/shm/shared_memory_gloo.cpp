#include "trainer/shm/shared_memory_gloo.hpp"

#include <utility>

namespace ddp::trainer {

void SharedMemoryGloo::add_up_in(SharedSum sum) {
  sum.begin(getOptions()->timeout);
  sum_.emplace(std::move(sum));
}

bool SharedMemoryGloo::adds_up(const std::vector<at::Tensor>& tensors,
                               const c10d::AllreduceOptions& options) const {
  if (!sum_ || tensors.size() != 1 || options.reduceOp != c10d::ReduceOp::SUM) return false;
  const at::Tensor& tensor = tensors.front();
  return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_non_overlapping_and_dense() &&
         SharedSum::takes(tensor.scalar_type());
}

c10::intrusive_ptr<c10d::Work> SharedMemoryGloo::allreduce(std::vector<at::Tensor>& tensors,
                                                           const c10d::AllreduceOptions& options) {
  if (!adds_up(tensors, options)) return ProcessGroupGloo::allreduce(tensors, options);
  sum_->add_up(tensors.front());
  const auto type = c10::ListType::create(c10::TensorType::get());
  const auto done = c10::make_intrusive<c10::ivalue::Future>(type);
  done->markCompleted(c10::IValue(tensors));
  return c10d::Work::create_from_future(done);
}

}  // namespace ddp::trainer
