#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ddp/jobenv/job_environment.hpp"

namespace ddp::trainer {

/// Variables that LibTorch and NCCL read when NCCL is made, for collectives that may take `timeout`: a
/// watchdog that hangs itself ends the process after about as long, and what NCCL was at when a collective
/// did not end is written into the run folder.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> nccl_environment(
    const JobEnvironment& job, std::chrono::milliseconds timeout);

/// Sets those that are not set, under an older name either. To be called before LibTorch has threads.
void set_nccl_environment(const JobEnvironment& job, std::chrono::milliseconds timeout);

}  // namespace ddp::trainer
