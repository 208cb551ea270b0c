#include "trainer/shm/backward_sums.hpp"

#include <torch/csrc/autograd/graph_task.h>

#include <utility>

namespace ddp::trainer {
namespace {

/// The backward that this thread is in; negative in none.
int current_backward() {
  return torch::autograd::get_current_graph_task_id();
}

}  // namespace

BackwardSums::BackwardSums(c10::intrusive_ptr<SharedMemoryGloo> gloo)
    : Backend(gloo->getRank(), gloo->getSize()), gloo_(std::move(gloo)) {}

void BackwardSums::begin() {
  waiting_.clear();  // of a backward that has failed
  backward_ = current_backward();
  begun_ = Clock::now();
}

void BackwardSums::end() {
  const bool waited = backward_ && !waiting_.empty();
  const auto computed = Clock::now();
  add_up();
  if (!waited) return;
  total_.backward += computed - begun_;
  total_.sums += Clock::now() - computed;
  ++backwards_;
}

/// Empties `waiting_` first: what fails is of no use any more.
void BackwardSums::add_up() {
  backward_.reset();
  for (Sum& sum : std::exchange(waiting_, {})) {
    gloo_->allreduce(sum.tensors, sum.options)->wait();
    sum.future->markCompleted(c10::IValue(sum.tensors));
  }
}

std::optional<BackwardSums::Times> BackwardSums::mean_times() const {
  if (backwards_ == 0) return std::nullopt;
  return Times{total_.backward / backwards_, total_.sums / backwards_};
}

c10::intrusive_ptr<c10d::Work> BackwardSums::allreduce(std::vector<at::Tensor>& tensors,
                                                       const c10d::AllreduceOptions& options) {
  // A backward within the backward may end with a wait for all futures.
  if (backward_ && backward_ != current_backward()) add_up();
  if (!backward_ || !gloo_->adds_up(tensors, options)) return gloo_->allreduce(tensors, options);
  const auto type = c10::ListType::create(c10::TensorType::get());
  waiting_.push_back({tensors, options, c10::make_intrusive<c10::ivalue::Future>(type)});
  return c10d::Work::create_from_future(waiting_.back().future);
}

c10::intrusive_ptr<c10d::Work> BackwardSums::broadcast(std::vector<at::Tensor>& tensors,
                                                       const c10d::BroadcastOptions& options) {
  return gloo_->broadcast(tensors, options);
}

}  // namespace ddp::trainer
