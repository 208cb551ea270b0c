#pragma once

#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "trainer/shm/shared_slots.hpp"

namespace ddp::trainer {

/// Gloo, but for sums and averages, all-gathers and reduce-scatters of tensors on the CPU once all ranks
/// share memory: those go through it, to the same bits, by the thread that asks, before the call returns.
/// Sparse tensors, tensors that are not contiguous, and types and reductions for which it has no bits of
/// Gloo, stay with Gloo. Used by one thread at a time.
class SharedMemoryGloo final : public c10d::ProcessGroupGloo {
 public:
  using ProcessGroupGloo::ProcessGroupGloo;

  /// From now on uses `slots`, in which all ranks, two at least, have taken their places. All ranks call it
  /// between the same two collectives.
  void share_memory(SharedSlots slots);

  [[nodiscard]] bool shares_memory() const { return slots_.has_value(); }

  /// Whether it adds these up in memory.
  [[nodiscard]] bool adds_up(const std::vector<at::Tensor>& tensors,
                             const c10d::AllreduceOptions& options) const;

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions& options) override;

 private:
  std::optional<SharedSlots> slots_;
};

/// What does the collectives of `group` on the CPU, if its ranks share memory; null: they do not.
[[nodiscard]] c10::intrusive_ptr<SharedMemoryGloo> find_shared_memory(c10d::ProcessGroup& group);

}  // namespace ddp::trainer
