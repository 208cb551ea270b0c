#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "ddp/jobenv/job_environment.hpp"

namespace c10d {
class ProcessGroup;
}

namespace ddp::trainer {

enum class Backend { gloo, nccl };
enum class ReduceOp { sum, max };

struct ProcessGroupOptions {
  /// What reduces gradients. With nccl the group has Gloo too, for tensors on the CPU.
  Backend backend = Backend::gloo;
  /// Whether ranks that are all on one host add up tensors on the CPU (ReduceOp::sum of float32, float64,
  /// int32 and int64) in memory that they share, not over Gloo. The bits are the same. All else goes over
  /// Gloo.
  bool shared_memory = true;
  /// How long a collective, and the way into the group, may take.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  /// A listening socket at master_port that rank 0 takes over for the store (kStoreFd of rank_contract.hpp).
  /// Without it rank 0 binds master_port itself. Other ranks ignore it.
  std::optional<int> store_descriptor = std::nullopt;
  /// CUDA device of this rank. With nccl that of its local rank if not given, and no two ranks may have the
  /// same; with gloo none: tensors are on the CPU.
  std::optional<int> device = std::nullopt;
};

/// All ranks of a job, joined. Every collective blocks until it is done on this rank, and must be called by
/// all ranks in the same order, from one thread. A collective throws when a peer is gone or too late;
/// after that the group is good for nothing but being left by ending the process.
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

/// Joins the process group that `job` describes, over the store at master_address:master_port; a job of one
/// rank needs no store. When the job has a nonce, the store must hold the same one, so that a store of
/// another job is an error at once and never a hang. Throws std::invalid_argument when `job` does not tell
/// how to meet, else std::exception of what went wrong, on every rank where they do not all want the same
/// backend.
///
/// NCCL leaves no way out of what does not end. A process whose peers do not connect it within the time-out
/// ends here with kExitPeerLost. A collective of it that takes longer is an exception in a thread of
/// LibTorch's, which nobody can catch: the process aborts, with LibTorch's message, unless std::set_terminate
/// says something else. train_main() ends with kExitPeerLost then.
[[nodiscard]] ProcessGroup init_process_group(const JobEnvironment& job,
                                              const ProcessGroupOptions& options = {});

}  // namespace ddp::trainer
