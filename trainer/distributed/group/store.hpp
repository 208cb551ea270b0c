#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group_options.hpp"

namespace ddp::trainer {

/// The store where the ranks of `job` meet, in a namespace of this attempt. Rank 0 serves it.
/// Throws std::invalid_argument without an address, std::runtime_error when the store is another job's, c10's
/// errors when it cannot be reached in time.
[[nodiscard]] c10::intrusive_ptr<c10d::Store> connect_store(const JobEnvironment& job,
                                                            const ProcessGroupOptions& options);

}  // namespace ddp::trainer
