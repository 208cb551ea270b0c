#pragma once

#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "trainer/shm/shared_sum.hpp"

namespace ddp::trainer {

/// Gloo, but for sums of tensors on the CPU once all ranks share memory: those are added up there, to the
/// same bits, by the thread that asks, before the call returns. Used by one thread at a time.
class SharedMemoryGloo final : public c10d::ProcessGroupGloo {
 public:
  using ProcessGroupGloo::ProcessGroupGloo;

  /// From now on adds up in `sum`, in which all ranks have taken their places. All ranks call it between the
  /// same two collectives.
  void add_up_in(SharedSum sum);

  [[nodiscard]] bool shares_memory() const { return sum_.has_value(); }

  /// Whether it adds these up in memory.
  [[nodiscard]] bool adds_up(const std::vector<at::Tensor>& tensors,
                             const c10d::AllreduceOptions& options) const;

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;

 private:
  std::optional<SharedSum> sum_;
};

}  // namespace ddp::trainer
