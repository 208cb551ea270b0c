#pragma once

#include <ATen/core/ivalue.h>

#include <chrono>
#include <exception>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

namespace ddp::trainer {

/// An operation on its way: whoever asked for it waits, MPI's thread ends it.
class MpiWork final : public c10d::Work {
 public:
  MpiWork(int rank, c10d::OpType type, std::vector<at::Tensor> outputs)
      : Work(rank, type),
        outputs_(std::move(outputs)),
        future_(c10::make_intrusive<at::ivalue::Future>(c10::ListType::create(c10::TensorType::get()))) {}

  std::vector<at::Tensor> result() override { return outputs_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

  /// False if it takes longer. wait() says how it has ended.
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return cv_.wait_for(lock, time, [this] { return completed_; });
  }

  void succeed() {
    future_->markCompleted(c10::IValue(outputs_));
    finish();
  }

  void fail(const std::exception_ptr& error) {
    future_->setError(error);
    finish(error);
  }

 private:
  std::vector<at::Tensor> outputs_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// Of a call that has no result.
[[nodiscard]] inline c10::intrusive_ptr<MpiWork> make_silent_work() {
  constexpr int kNoRank = -1;
  return c10::make_intrusive<MpiWork>(kNoRank, c10d::OpType::UNKNOWN, std::vector<at::Tensor>{});
}

}  // namespace ddp::trainer
