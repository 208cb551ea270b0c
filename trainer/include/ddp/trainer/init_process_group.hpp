#pragma once

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group.hpp"
#include "ddp/trainer/process_group_options.hpp"

namespace ddp::trainer {

/// Joins the process group that `job` describes, over the store at master_address:master_port; a job of one
/// rank needs no store. If the job has a nonce, the store must have the same one, so that the store of
/// another job causes an error at once and never a hang. Throws std::invalid_argument if `job` has no address
/// or port of the store, and another std::exception for other errors; if the ranks want different backends,
/// on every rank.
///
/// NCCL calls that never return cannot be cancelled. If the other ranks do not connect within the time-out,
/// this function ends the process with kExitPeerLost. If a collective takes longer than the time-out, a
/// thread of LibTorch throws an exception that nobody can catch: the process aborts with LibTorch's message,
/// unless you set another std::set_terminate handler. train_main() then exits with kExitPeerLost.
[[nodiscard]] ProcessGroup init_process_group(const JobEnvironment& job,
                                              const ProcessGroupOptions& options = {});

}  // namespace ddp::trainer
