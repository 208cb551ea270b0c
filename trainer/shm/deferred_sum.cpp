#include "trainer/shm/deferred_sum.hpp"

#include <utility>

namespace ddp::trainer {

DeferredSum::DeferredSum(int rank, std::vector<at::Tensor> tensors, std::function<void()> do_now)
    : Work(rank, c10d::OpType::ALLREDUCE),
      tensors_(std::move(tensors)),
      do_now_(std::move(do_now)),
      future_(c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()))) {}

void DeferredSum::complete() {
  do_now_ = nullptr;  // which may hold what holds this object
  future_->markCompleted(c10::IValue(tensors_));
  finish();
}

bool DeferredSum::wait(std::chrono::milliseconds /*timeout*/) {
  if (const auto do_now = do_now_) do_now();
  return true;
}

}  // namespace ddp::trainer
