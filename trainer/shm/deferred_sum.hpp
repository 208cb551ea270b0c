#pragma once

#include <functional>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

namespace ddp::trainer {

/// A sum over ranks that has been asked for. Who waits for it has it done.
class DeferredSum final : public c10d::Work {
 public:
  /// `do_now` has to end in a call of complete().
  DeferredSum(int rank, std::vector<at::Tensor> tensors, std::function<void()> do_now);

  [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return tensors_; }

  /// To be called when `tensors` hold the sum.
  void complete();

  bool wait(std::chrono::milliseconds timeout) override;
  std::vector<at::Tensor> result() override { return tensors_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

 private:
  std::vector<at::Tensor> tensors_;
  std::function<void()> do_now_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

}  // namespace ddp::trainer
