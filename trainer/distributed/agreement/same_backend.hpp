#pragma once

#include <string>

#include "ddp/trainer/process_group.hpp"
#include "ddp/trainer/process_group_options.hpp"

namespace ddp::trainer {

/// Throws std::runtime_error on all ranks, with the rank and both choices, unless all of them have chosen the
/// same backend and kind of device: they would wait for each other in different collectives. `host` is this
/// rank's. A collective, over Gloo.
void require_same_backend(const ProcessGroupOptions& options, const std::string& host, ProcessGroup& group);

}  // namespace ddp::trainer
