#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "trainer/shm/deferred_sum.hpp"
#include "trainer/shm/shared_sum.hpp"

namespace ddp::trainer {

/// Gloo, but for sums of tensors on the CPU, once all ranks share memory: those are added up there, to the
/// same bits, by the thread that asks. Used by one thread at a time.
class SharedMemoryGloo final : public c10d::ProcessGroupGloo {
 public:
  using ProcessGroupGloo::ProcessGroupGloo;

  /// Takes `sum`, in which all ranks have taken their places, into use. Until then all goes over Gloo. All
  /// ranks call it between the same two collectives.
  void use(SharedSum sum);

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;

  /// From now on the sums that this backward asks for wait for finish(), or for somebody who waits for one of
  /// them: they are then added up in their order. Outside of a backward nothing waits.
  void defer_sums_of_backward();
  void finish();

  /// How long finish() takes after a backward that has asked for sums, in the mean: the waiting for other
  /// ranks and the work.
  [[nodiscard]] std::chrono::nanoseconds mean_time_after_backward() const;

 private:
  [[nodiscard]] bool takes(const std::vector<at::Tensor>& tensors,
                           const c10d::AllreduceOptions& options) const;

  std::optional<SharedSum> sum_;
  std::optional<int> deferring_;  ///< the backward whose sums wait
  std::vector<c10::intrusive_ptr<DeferredSum>> waiting_;
  std::chrono::nanoseconds time_after_backwards_{};
  std::int64_t backwards_ = 0;
};

}  // namespace ddp::trainer
