#pragma once

#include <string>
#include <vector>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group.hpp"
#include "ddp/trainer/process_group_options.hpp"

namespace ddp::trainer {

using Words = std::vector<std::string>;

/// The rank that rank_group or mpi_rank has started this process as.
JobEnvironment this_rank();

/// The group of all ranks, over the store of rank_group where that has started them.
ProcessGroup join_group(const JobEnvironment& job, ProcessGroupOptions options = {});

// Each returns the exit code of the process.
namespace checkpoint_shards {
int run(const Words& words);
}
namespace disagreement {
int run(const Words& words);
}
namespace model_bytes {
int run(const Words& words);
}
namespace modes {
int run(const Words& words);
}
namespace mpi_collectives {
int run(const Words& words);
}
namespace sharded_optimizer {
int run(const Words& words);
}
namespace split_groups {
int run(const Words& words);
}
namespace sync_batch_norm {
int run(const Words& words);
}

}  // namespace ddp::trainer
