#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

#include "trainer/mpi/mpi_process.hpp"

namespace ddp::trainer {

/// The collectives of c10d that the trainer uses, by MPI's nonblocking ones, on dense tensors on the CPU: one
/// tensor for each call. All others throw c10::Error that names them. Calls return at once; several
/// operations may be on their way. Any thread may call, if all ranks call in the same order.
class MpiBackend final : public c10d::Backend {
 public:
  /// A collective of the members. Errors are those of MpiPlugin::connect.
  explicit MpiBackend(const MpiGroup& group);
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;
  ~MpiBackend() override;

  const std::string getBackendName() const override { return "mpi"; }

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> reduce(std::vector<at::Tensor>& tensors,
                                        const c10d::ReduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                           std::vector<at::Tensor>& inputs,
                                           const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions& options) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions& options) override;
  c10::intrusive_ptr<c10d::Work> send(std::vector<at::Tensor>& tensors, int to, int tag) override;
  c10::intrusive_ptr<c10d::Work> recv(std::vector<at::Tensor>& tensors, int from, int tag) override;

  /// The last backend of the process ends MPI, a collective of the job.
  void shutdown() override;

 private:
  using Post = std::function<int(MPI_Request*)>;

  c10::intrusive_ptr<c10d::Work> enqueue(const char* name, c10d::OpType type, std::vector<at::Tensor> outputs,
                                         Post post, std::function<void()> after = {});

  MpiProcess& process_;
  std::chrono::milliseconds timeout_;
  MPI_Comm communicator_;
  bool is_open_ = true;
};

}  // namespace ddp::trainer
