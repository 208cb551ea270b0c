#include "ddp/trainer/init_process_group.hpp"

#include <torch/csrc/distributed/c10d/debug.h>

#include "trainer/distributed/group/connect_group.hpp"
#include "trainer/distributed/group/nccl_environment.hpp"
#include "trainer/distributed/group/store.hpp"

namespace ddp::trainer {

ProcessGroup init_process_group(const JobEnvironment& job, const ProcessGroupOptions& options) {
  if (options.backend == Backend::nccl) set_nccl_environment(job, options.timeout);
  c10d::setDebugLevelFromEnvironment();
  return connect_group(connect_store(job, options), GroupMembers::all_of(job, options));
}

}  // namespace ddp::trainer
