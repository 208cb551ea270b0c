#pragma once

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group.hpp"
#include "ddp/trainer/process_group_options.hpp"

namespace ddp::trainer {

/// Joins the process group that `job` describes, over the store at master_address:master_port; a job of one
/// rank needs no store. When the job has a nonce, the store must hold the same one, so that a store of
/// another job is an error at once and never a hang. Throws std::invalid_argument when `job` does not tell
/// how to meet, else std::exception of what went wrong, on every rank where they do not all want the same
/// backend.
///
/// NCCL leaves no way out of what does not end. A process whose peers do not connect it within the time-out
/// ends here with kExitPeerLost. A collective of it that takes longer is an exception in a thread of
/// LibTorch's, which nobody can catch: the process aborts, with LibTorch's message, unless std::set_terminate
/// says something else. train_main() ends with kExitPeerLost then.
[[nodiscard]] ProcessGroup init_process_group(const JobEnvironment& job,
                                              const ProcessGroupOptions& options = {});

}  // namespace ddp::trainer
