#include "ddp/trainer/process_group.hpp"

#include <torch/csrc/distributed/c10d/debug.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "trainer/dist/cuda_plugin.hpp"
#include "trainer/dist/gloo.hpp"
#include "trainer/dist/store.hpp"

namespace ddp::trainer {

ProcessGroup::ProcessGroup(c10::intrusive_ptr<c10d::ProcessGroup> group) : group_(std::move(group)) {}
ProcessGroup::ProcessGroup(ProcessGroup&&) noexcept = default;

ProcessGroup::~ProcessGroup() {
  if (group_.defined()) group_->shutdown();
}

int ProcessGroup::rank() const {
  return group_->getRank();
}
int ProcessGroup::size() const {
  return group_->getSize();
}

void ProcessGroup::all_reduce(torch::Tensor& tensor, ReduceOp op) {
  c10d::AllreduceOptions options;
  options.reduceOp = op == ReduceOp::sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
  std::vector<torch::Tensor> tensors = {tensor};
  group_->allreduce(tensors, options)->wait();
}

void ProcessGroup::broadcast(torch::Tensor& tensor, int root) {
  c10d::BroadcastOptions options;
  options.rootRank = root;
  std::vector<torch::Tensor> tensors = {tensor};
  group_->broadcast(tensors, options)->wait();
}

std::vector<torch::Tensor> ProcessGroup::all_gather(const torch::Tensor& tensor) {
  std::vector<std::vector<torch::Tensor>> gathered(1);
  for (int rank = 0; rank < size(); ++rank) gathered[0].push_back(torch::empty_like(tensor));
  std::vector<torch::Tensor> mine = {tensor};
  group_->allgather(gathered, mine)->wait();
  return std::move(gathered[0]);
}

void ProcessGroup::barrier() {
  c10d::BarrierOptions options;
  options.device = at::Device(at::kCPU);
  group_->barrier(options)->wait();
}

ProcessGroup init_process_group(const JobEnvironment& job, const ProcessGroupOptions& options) {
  using c10d::PrefixStore;
  c10d::setDebugLevelFromEnvironment();
  const auto store = connect_store(job, options);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, job.rank, job.world_size);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO,
                    make_gloo(c10::make_intrusive<PrefixStore>("gloo", store), job, options));
  if (options.backend == Backend::nccl) {
    add_nccl(*group, c10::make_intrusive<PrefixStore>("nccl", store), job.local_rank, options.timeout);
  }
  group->setDefaultBackend(options.backend == Backend::nccl ? c10d::ProcessGroup::BackendType::NCCL
                                                            : c10d::ProcessGroup::BackendType::GLOO);
  return ProcessGroup(std::move(group));
}

}  // namespace ddp::trainer
