#include "ddp/trainer/init_process_group.hpp"

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/debug.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "ddp/jobenv/host_name.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "trainer/distributed/agreement/distinct_devices.hpp"
#include "trainer/distributed/agreement/same_backend.hpp"
#include "trainer/distributed/group/cuda_plugin.hpp"
#include "trainer/distributed/group/deadline.hpp"
#include "trainer/distributed/group/gloo.hpp"
#include "trainer/distributed/group/join_shared_memory.hpp"
#include "trainer/distributed/group/nccl_environment.hpp"
#include "trainer/distributed/group/nccl_error.hpp"
#include "trainer/distributed/group/store.hpp"

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
