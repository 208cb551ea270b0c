#include "ddp/trainer/process_group.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <utility>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {

ProcessGroup::ProcessGroup(c10::intrusive_ptr<c10d::ProcessGroup> group,
                           std::shared_ptr<const GroupMembers> members)
    : group_(std::move(group)), members_(std::move(members)) {}
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
  const PeerWait wait;
  group_->allreduce(tensors, options)->wait();
}

void ProcessGroup::broadcast(torch::Tensor& tensor, int root) {
  c10d::BroadcastOptions options;
  options.rootRank = root;
  std::vector<torch::Tensor> tensors = {tensor};
  const PeerWait wait;
  group_->broadcast(tensors, options)->wait();
}

std::vector<torch::Tensor> ProcessGroup::all_gather(const torch::Tensor& tensor) {
  std::vector<std::vector<torch::Tensor>> gathered(1);
  for (int rank = 0; rank < size(); ++rank) gathered[0].push_back(torch::empty_like(tensor));
  std::vector<torch::Tensor> mine = {tensor};
  const PeerWait wait;
  group_->allgather(gathered, mine)->wait();
  return std::move(gathered[0]);
}

void ProcessGroup::barrier() {
  c10d::BarrierOptions options;
  options.device = at::Device(at::kCPU);
  const PeerWait wait;
  group_->barrier(options)->wait();
}

}  // namespace ddp::trainer
