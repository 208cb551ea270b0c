#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Gloo between the ranks of `job`: over the loopback when there is one node, else over `job.interface`.
[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store,
                                                          const JobEnvironment& job,
                                                          const ProcessGroupOptions& options);

}  // namespace ddp::trainer
