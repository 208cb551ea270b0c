#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

namespace c10d {
class ProcessGroup;
}

namespace ddp::trainer {

struct GroupMembers;

enum class ReduceOp { sum, max };

/// Ranks of a job, joined: all of them, or some after a split(). Every collective blocks until it is done on
/// this rank, and must be called by all ranks in the same order, from one thread. A collective throws when
/// another rank has exited or does not respond in time; the group cannot be used after that: end the process.
///
/// The destructor leaves the group and does not wait for peers, except that over MPI the last group of a
/// process ends MPI together with all ranks: call barrier() before, and destroy every
/// DistributedDataParallel of the group first.
class ProcessGroup {
 public:
  /// `members`, which only this library knows, are needed for split().
  explicit ProcessGroup(c10::intrusive_ptr<c10d::ProcessGroup> group,
                        std::shared_ptr<const GroupMembers> members = nullptr);
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

  /// Joins some of these ranks in a group of their own, with the same backends and time-out, and with shared
  /// memory if they are all on one host. `ranks` are their numbers in this group, in the order of their
  /// numbers in the new one, and have this rank among them.
  ///
  /// All ranks of this group call it, each with the ranks of the group that it is to be in, as often as all
  /// others: two calls make groups for two directions, as of shards and of replicas. This group stays as it
  /// is. Destroy the new one first. Throws std::invalid_argument when `ranks` do not make a group,
  /// std::logic_error when this group was not made by init_process_group(), else what that throws.
  [[nodiscard]] ProcessGroup split(const std::vector<int>& ranks);

  /// LibTorch's own object, for what this class does not cover. A collective in shared memory is done when
  /// the call returns, and has `timeout` for each wait within it, whatever its own options say.
  [[nodiscard]] const c10::intrusive_ptr<c10d::ProcessGroup>& c10d_group() const { return group_; }

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::shared_ptr<const GroupMembers> members_;
  int splits_ = 0;
};

}  // namespace ddp::trainer
