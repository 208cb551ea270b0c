#pragma once

#include "ddp/trainer/process_group.hpp"
#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer {

/// Has `gloo`, a backend of `group`, all ranks of which are on one host, add up tensors in memory that they
/// share. Where some rank has no way to it, as in a container of its own, all stay with Gloo, and rank 0 says
/// so on stderr. A collective.
void share_memory(SharedMemoryGloo& gloo, ProcessGroup& group);

}  // namespace ddp::trainer
