#pragma once

#include <torch/types.h>

#include <vector>

namespace c10d {
class ProcessGroup;
}

namespace ddp::trainer {

enum class ReduceOp { sum, max };

/// All ranks of a job, joined. Every collective blocks until it is done on this rank, and must be called by
/// all ranks in the same order, from one thread. A collective throws when another rank has
/// exited or does not respond in time; the group cannot be used after that: end the process.
///
/// The destructor leaves the group and does not wait for peers: call barrier() before, and destroy every
/// DistributedDataParallel of the group first.
class ProcessGroup {
 public:
  explicit ProcessGroup(c10::intrusive_ptr<c10d::ProcessGroup> group);
  ProcessGroup(ProcessGroup&&) noexcept;
  ProcessGroup& operator=(ProcessGroup&&) = delete;
  ~ProcessGroup();

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

  /// Replaces `tensor` on every rank by the reduction over all ranks.
  void all_reduce(torch::Tensor& tensor, ReduceOp op = ReduceOp::sum);

  /// Replaces `tensor` on every rank by the one of rank `root`.
  void broadcast(torch::Tensor& tensor, int root = 0);

  /// The tensors of all ranks, by rank. Shape and type must be the same everywhere.
  [[nodiscard]] std::vector<torch::Tensor> all_gather(const torch::Tensor& tensor);

  /// Returns when every rank has called it.
  void barrier();

  /// LibTorch's own object, for what this class does not cover. An all-reduce in shared memory is done when
  /// the call returns, and has `timeout` for each wait within it, whatever its own options say.
  [[nodiscard]] const c10::intrusive_ptr<c10d::ProcessGroup>& c10d_group() const { return group_; }

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

}  // namespace ddp::trainer
