#include "trainer/distributed/group/connect_group.hpp"

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "ddp/jobenv/host_name.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "trainer/distributed/agreement/distinct_devices.hpp"
#include "trainer/distributed/agreement/same_backend.hpp"
#include "trainer/distributed/group/cuda_plugin.hpp"
#include "trainer/distributed/group/deadline.hpp"
#include "trainer/distributed/group/gloo.hpp"
#include "trainer/distributed/group/join_shared_memory.hpp"
#include "trainer/distributed/group/mpi_plugin.hpp"
#include "trainer/distributed/group/nccl_error.hpp"

namespace ddp::trainer {
namespace {

std::string name_of_host(const JobEnvironment& job) {
  return job.node_name.empty() ? host_name() : job.node_name;
}

/// NCCL's own way into the group has no time-out, and no way out either.
[[noreturn]] void end_unconnected(int rank, std::chrono::milliseconds timeout) {
  std::fprintf(
      stderr,
      "[rank %d] another rank has exited or does not respond: NCCL did not connect all ranks within %lld s\n",
      rank, static_cast<long long>(std::chrono::ceil<std::chrono::seconds>(timeout).count()));
  std::_Exit(kExitPeerLost);
}

void connect_nccl(ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                  const GroupMembers& members) {
  const JobEnvironment& job = members.job;
  const ProcessGroupOptions& options = members.options;
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

void connect_mpi(ProcessGroup& group, const GroupMembers& members) {
  constexpr auto kMpi = c10d::ProcessGroup::BackendType::MPI;
  const JobEnvironment& job = members.job;
  group.c10d_group()->setBackend(
      c10::DeviceType::CPU, kMpi,
      mpi_plugin().connect({job.rank, job.world_size, members.ranks, members.options.timeout}));
  group.c10d_group()->setDefaultBackend(kMpi);
}

void connect_gloo_and_nccl(ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store,
                           const GroupMembers& members) {
  using c10d::PrefixStore;
  constexpr auto kGloo = c10d::ProcessGroup::BackendType::GLOO;
  const ProcessGroupOptions& options = members.options;
  const bool nccl = options.backend == Backend::nccl;
  const auto gloo = make_gloo(c10::make_intrusive<PrefixStore>("gloo", store), members.own_job(), options);
  group.c10d_group()->setBackend(c10::DeviceType::CPU, kGloo, gloo);
  require_same_backend(options, name_of_host(members.job), group);
  if (options.shared_memory && members.share_a_node() && members.size() > 1)
    join_shared_memory(*gloo, group, members.ranks);
  if (nccl) {
    connect_nccl(group, c10::make_intrusive<PrefixStore>("nccl", store), members);
  } else if (options.device) {
    group.c10d_group()->setBackend(c10::DeviceType::CUDA, kGloo, gloo);
  }
  group.c10d_group()->setDefaultBackend(nccl ? c10d::ProcessGroup::BackendType::NCCL : kGloo);
}

}  // namespace

ProcessGroup connect_group(const c10::intrusive_ptr<c10d::Store>& store, GroupMembers members) {
  const auto shared = std::make_shared<const GroupMembers>(std::move(members));
  ProcessGroup group(c10::make_intrusive<c10d::ProcessGroup>(store, shared->rank(), shared->size()), shared);
  if (shared->options.backend == Backend::mpi) {
    connect_mpi(group, *shared);
  } else {
    connect_gloo_and_nccl(group, store, *shared);
  }
  return group;
}

}  // namespace ddp::trainer
