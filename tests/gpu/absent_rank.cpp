// Two ranks of a test, the second of which is missing when NCCL needs it; then it waits to be killed.
//
//   absent_rank connect      it never comes to NCCL; its device has a made-up UUID, so that one GPU suffices
//   absent_rank collective   it leaves the first one alone in an all-reduce
#include <ATen/ATen.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <iostream>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/trainer/init_process_group.hpp"
#include "trainer/app/last_words.hpp"
#include "trainer/distributed/agreement/distinct_devices.hpp"
#include "trainer/distributed/agreement/same_backend.hpp"
#include "trainer/distributed/group/gloo.hpp"
#include "trainer/distributed/group/store.hpp"

namespace ddp::trainer {
namespace {

[[noreturn]] void wait_to_be_killed() {
  for (;;) pause();
}

/// What init_process_group() does before NCCL.
void stop_before_nccl(const JobEnvironment& job, const ProcessGroupOptions& options) {
  const auto store = connect_store(job, options);
  ProcessGroup group(c10::make_intrusive<c10d::ProcessGroup>(store, job.rank, job.world_size));
  const auto gloo = make_gloo(c10::make_intrusive<c10d::PrefixStore>("gloo", store), job, options);
  group.c10d_group()->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  require_same_backend(options, "node1", group);
  require_distinct_devices({"GPU-none", "node1"}, group);
  wait_to_be_killed();
}

void all_reduce(const JobEnvironment& job, const ProcessGroupOptions& options) {
  ProcessGroup group = init_process_group(job, options);
  if (job.rank == 1) wait_to_be_killed();
  torch::Tensor tensor = at::ones(
      {1}, at::TensorOptions(at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(options.device.value()))));
  group.all_reduce(tensor);
  std::cout << tensor.item<float>() << '\n';  // waits for the device, which waits for rank 1
}

int run(const std::string& missing) {
  const EnvMap env = EnvMap::capture();
  const auto store = env.get(kStoreFd);
  const JobEnvironment job = JobEnvironment::from(env).value();
  leave_when_uncaught(job.rank);
  const ProcessGroupOptions options{
      .backend = Backend::nccl,
      .shared_memory = false,  // which all ranks would join before NCCL
      .timeout = std::chrono::seconds(10),
      .store_descriptor = store ? std::optional(std::stoi(*store)) : std::nullopt,
      .device = job.local_rank};
  if (missing == "connect" && job.rank == 1) {
    stop_before_nccl(job, options);
  } else {
    all_reduce(job, options);
  }
  return 0;
}

}  // namespace
}  // namespace ddp::trainer

int main(int, char** argv) {
  try {
    return ddp::trainer::run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
