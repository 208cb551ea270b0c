#include "ddp/trainer/process_group.hpp"

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/debug.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "ddp/jobenv/host_name.hpp"
#include "ddp/jobenv/own_progress.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "trainer/dist/cuda_plugin.hpp"
#include "trainer/dist/deadline.hpp"
#include "trainer/dist/distinct_devices.hpp"
#include "trainer/dist/gloo.hpp"
#include "trainer/dist/join_shared_memory.hpp"
#include "trainer/dist/nccl_environment.hpp"
#include "trainer/dist/nccl_error.hpp"
#include "trainer/dist/same_backend.hpp"
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

namespace {

std::string name_of_host(const JobEnvironment& job) {
  return job.node_name.empty() ? host_name() : job.node_name;
}

/// NCCL's own way into the group has no time-out, and no way out either.
[[noreturn]] void end_unconnected(int rank, std::chrono::milliseconds timeout) {
  std::fprintf(
      stderr, "[rank %d] a peer is gone or does not answer: NCCL has not connected all ranks within %lld s\n",
      rank, static_cast<long long>(std::chrono::ceil<std::chrono::seconds>(timeout).count()));
  std::_Exit(kExitPeerLost);
}

void connect_nccl(ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                  const JobEnvironment& job, const ProcessGroupOptions& options) {
  const CudaPlugin& plugin = cuda_plugin();
  const int device = options.device.value_or(job.local_rank);
  require_distinct_devices({plugin.device_uuid(device), name_of_host(job)}, group);
  const Deadline deadline(options.timeout, [&] { end_unconnected(job.rank, options.timeout); });
  try {
    plugin.add_nccl(*group.c10d_group(), store, device, options.timeout);
  } catch (const c10::DistBackendError& error) {
    const std::string text = error.what_without_backtrace();
    if (is_missing_peer(text)) throw;
    throw std::runtime_error("NCCL could not be set up: " + cut_backtrace(text));
  }
}

}  // namespace

ProcessGroup init_process_group(const JobEnvironment& job, const ProcessGroupOptions& options) {
  using c10d::PrefixStore;
  const bool nccl = options.backend == Backend::nccl;
  if (nccl) set_nccl_environment(job, options.timeout);
  c10d::setDebugLevelFromEnvironment();
  const auto store = connect_store(job, options);
  ProcessGroup group(c10::make_intrusive<c10d::ProcessGroup>(store, job.rank, job.world_size));
  const auto gloo = make_gloo(c10::make_intrusive<PrefixStore>("gloo", store), job, options);
  constexpr auto kGloo = c10d::ProcessGroup::BackendType::GLOO;
  group.c10d_group()->setBackend(c10::DeviceType::CPU, kGloo, gloo);
  require_same_backend(options, name_of_host(job), group);
  const bool one_host = job.tasks_per_node.size() == 1;
  if (options.shared_memory && one_host && job.world_size > 1) join_shared_memory(*gloo, group);
  if (nccl) {
    connect_nccl(group, c10::make_intrusive<PrefixStore>("nccl", store), job, options);
  } else if (options.device) {
    group.c10d_group()->setBackend(c10::DeviceType::CUDA, kGloo, gloo);
  }
  group.c10d_group()->setDefaultBackend(nccl ? c10d::ProcessGroup::BackendType::NCCL : kGloo);
  return group;
}

}  // namespace ddp::trainer
