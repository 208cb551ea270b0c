#pragma once

#include <c10/core/impl/VirtualGuardImpl.h>

#include <functional>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "trainer/distributed/group/connect_group.hpp"

namespace ddp::trainer {

/// Runs `rank_main` for each of `ranks` ranks, in a thread and on a GPU each, joined by NCCL. An exception of
/// one of them ends the process.
inline void run_on_gpus(int ranks,
                        const std::function<void(ProcessGroup& world, at::Device device)>& rank_main) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  run_ranks(ranks, [&](int rank) {
    const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(rank));
    c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
    JobEnvironment job;
    job.rank = job.local_rank = rank;
    job.world_size = job.local_world_size = ranks;
    job.tasks_per_node = {ranks};
    ProcessGroup world = connect_group(
        store, GroupMembers::all_of(job, {.backend = Backend::nccl, .shared_memory = false, .device = rank}));
    rank_main(world, device);
    world.barrier();
  });
}

}  // namespace ddp::trainer
