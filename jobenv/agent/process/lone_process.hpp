#pragma once

#include <sys/types.h>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/process/guarded_process.hpp"

namespace ddp::agent {

/// Forks a process without a guard, in a group of its own. It dies with this process, which must be the
/// thread that waits for it; what it has started may not. A start that fails is reported on `report_socket`,
/// as by become(). Returns its pid; the caller reaps it.
[[nodiscard]] Expected<pid_t> fork_lone_process(const GuardedProcess& process, int report_socket);

}  // namespace ddp::agent
