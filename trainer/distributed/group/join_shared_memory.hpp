#pragma once

#include <vector>

#include "ddp/trainer/process_group.hpp"
#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer {

/// Has `gloo`, a backend of `group` whose ranks are all on one host, add up tensors in memory that they
/// share. Where one of them has no way to it, as in a container of its own, all stay with Gloo, and rank 0
/// says so on stderr. `ranks` are the numbers of its ranks in the job. A collective.
void join_shared_memory(SharedMemoryGloo& gloo, ProcessGroup& group, const std::vector<int>& ranks);

}  // namespace ddp::trainer
