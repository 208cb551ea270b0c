#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group_options.hpp"
#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer {

/// Gloo between the ranks of `job`: over the loopback when there is one node, else over `job.interface`, or
/// where that is empty over the address that faces the store. Nothing is shared in memory yet.
[[nodiscard]] c10::intrusive_ptr<SharedMemoryGloo> make_gloo(const c10::intrusive_ptr<c10d::Store>& store,
                                                             const JobEnvironment& job,
                                                             const ProcessGroupOptions& options);

}  // namespace ddp::trainer
